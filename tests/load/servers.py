"""Builds and runs the two servers under load. Only the measured server runs on the first core."""

import json
import os
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from data import lead_id, token

ROOT = Path(__file__).resolve().parents[2]
UNLIMITED = str(2**32 - 1)


@dataclass
class Running:
    url: str
    pid: int

    def cpu(self) -> float:
        """Returns the CPU time that the process has used so far, in seconds."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def build() -> tuple[str, str]:
    """Builds the shipped server and bare hyper, and returns their paths."""
    return (
        executable("-p", "leadapi-server", "--bin", "leadapi-server"),
        executable("-p", "leadapi-tests", "--example", "bare_hyper"),
    )


def executable(*what: str) -> str:
    command = ["cargo", "build", "--quiet", "--profile", "dist", "--message-format=json", *what]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    messages = map(json.loads, built.stdout.splitlines())
    return [message["executable"] for message in messages if message.get("executable")][-1]


@contextmanager
def leadapi(binary: str, folder: Path):
    limits = ["--reads-per-minute", UNLIMITED, "--writes-per-minute", UNLIMITED]
    command = [binary, "serve", "--data", str(folder / "data.json"), "--listen", "127.0.0.1:0", *limits]
    with started(command) as running:
        save_responses(running.url, folder)
        yield running


@contextmanager
def bare_hyper(binary: str, folder: Path):
    with started([binary, str(folder / "one.json"), str(folder / "list.json")]) as running:
        yield running


@contextmanager
def started(command: list[str]):
    environment = os.environ | {"LEADAPI_LOG": "error"}
    process = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        for line in process.stdout:
            if listens := re.search(r"listens at (http\S+)", line):
                break
        else:
            raise SystemExit(f"{command[0]} has ended before it listened")
        yield Running(listens[1], process.pid)
    finally:
        process.terminate()
        process.wait(60)


def save_responses(url: str, folder: Path) -> None:
    """Saves bodies of the server's responses, which bare hyper then returns."""
    for name, path in {"one": f"/leads/{lead_id(0, 0)}", "list": "/leads?limit=50"}.items():
        request = Request(url + path, headers={"Authorization": f"Bearer {token(0)}"})
        with urlopen(request) as response:
            (folder / f"{name}.json").write_bytes(response.read())
