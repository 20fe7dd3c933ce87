"""Builds and runs the servers under load."""

import json
import os
import re
import shlex
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
        return cpu(self.pid)[0]

    def memory(self) -> int:
        """Returns the peak memory of the process in bytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def cpu(pid: int) -> tuple[float, float]:
    """Returns the CPU time of a process and of its terminated children, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    user, system, user_of_children, system_of_children = map(int, fields[11:15])
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + system) / ticks, (user_of_children + system_of_children) / ticks


def build_leadapi() -> str:
    """Builds the shipped server, and returns its path."""
    return executable("-p", "leadapi", "--bin", "leadapi")


def build_bare_hyper() -> str:
    return executable("-p", "leadapi-tests", "--example", "bare_hyper")


def build_peer(name: str) -> str:
    """Builds a program of the package `peers`, and returns its path."""
    return executable("--bin", name, folder=ROOT / "tests/load/peers")


def executable(*what: str, folder: Path = ROOT) -> str:
    command = ["cargo", "build", "--quiet", "--profile", "dist", "--message-format=json", *what]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder)
    messages = map(json.loads, built.stdout.splitlines())
    return [message["executable"] for message in messages if message.get("executable")][-1]


@contextmanager
def leadapi(binary: str, folder: Path):
    limits = ["--reads-per-minute", UNLIMITED, "--writes-per-minute", UNLIMITED]
    command = [binary, "serve", "--data", str(folder / "data.json"), "--listen", "127.0.0.1:0", *limits]
    with started(["taskset", "-c", "0", *command]) as running:
        save_responses(running.url, folder)
        yield running


@contextmanager
def bare_hyper(binary: str, folder: Path):
    with started(["taskset", "-c", "0", binary, str(folder / "one.json"), str(folder / "list.json")]) as running:
        yield running


@contextmanager
def started(command: list[str]):
    environment = os.environ | {"LEADAPI_LOG": "error"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        for line in process.stdout:
            if listens := re.search(r"listens at (http\S+)", line):
                break
        else:
            raise SystemExit(f"{shlex.join(command)} exited before it listened")
        yield Running(listens[1], process.pid)
    finally:
        process.terminate()
        process.wait(60)


def save_responses(url: str, folder: Path) -> None:
    """Saves the bodies of some responses for bare hyper to return."""
    for name, path in {"one": f"/leads/{lead_id(0, 0)}", "list": "/leads?limit=50"}.items():
        request = Request(url + path, headers={"Authorization": f"Bearer {token(0)}"})
        with urlopen(request) as response:
            (folder / f"{name}.json").write_bytes(response.read())
