"""Measures the time until the first response, and the memory after it, with the sample and with a million leads."""

import json
import os
import re
import subprocess
import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.request import Request, urlopen

SAMPLE = Path(__file__).resolve().parents[2] / "leadapi-core/data/sample.json"
STARTS = 20
LEADS = 1_000_000
MB = 1e6


def starts(binary: str, size: int):
    yield "program with all features, stripped", size / MB, 30, "MB"
    times, memory = [], 0
    for _ in range(STARTS):
        with served(binary, "demo") as (first, answer, _, memory, _):
            times.append((first * 1000, answer * 1000))
    first, answer = map(median, zip(*times))
    yield f"time from exec to the first line, median of {STARTS}", first, None, "ms"
    yield f"time from exec to the first response, median of {STARTS}", answer, 30, "ms"
    yield "memory after the first response", memory / MB, 18, "MB"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "leads.json"
        bytes_of_leads = write(file)
        with served(binary, "serve", "--data", str(file)) as (_, answer, used, memory, total):
            assert total == LEADS, total
        yield f"size of a file with {LEADS} leads", bytes_of_leads / MB, None, "MB"
        yield "time from exec with this file to the first response", answer, 10, "s"
        yield "CPU time until the first response", used, None, "s"
        yield "memory after the first response", memory / MB, None, "MB"


@contextmanager
def served(binary: str, *arguments: str):
    """Starts a server. Yields the seconds to its first line and response, its CPU time, memory and number of leads."""
    command = [binary, *arguments, "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"]
    start = time.monotonic()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"LEADAPI_LOG": "error"})
    try:
        first, token = None, None
        for line in server.stdout:
            first = first or time.monotonic() - start
            # A demo prints its tokens. Other servers write new tokens to a file.
            if in_file := re.search(r"secret of .* is in (\S+),", line):
                line = Path(in_file[1]).read_text()
            token = token or re.search(r"pak_\w+", line)
            if listens := re.search(r"listens at (\S+)", line):
                break
        else:
            raise SystemExit("the server exited before it listened")
        request = Request(f"{listens[1]}/leads?limit=1", headers={"Authorization": f"Bearer {token[0]}"})
        with urlopen(request) as answer:
            total = json.load(answer)["total"]
        answered = time.monotonic() - start
        process = Path(f"/proc/{server.pid}")
        used = sum(map(int, (process / "stat").read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        memory = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
        yield first, answered, used, memory, total
    finally:
        server.terminate()
        server.wait(60)


def write(file: Path) -> int:
    """Writes a data set that repeats the sample's leads, one per second, spread over client accounts and stages."""
    data = json.loads(SAMPLE.read_text())
    business = data["businesses"][0]
    models, clients = business["leads"], business["clients"]
    places = [(pipeline["id"], stage["id"]) for pipeline in business["pipelines"] for stage in pipeline["stages"]]
    first = datetime(2026, 1, 12, 9)
    business["leads"] = [
        models[nth % len(models)] | {
            "id": f"019bb17b-d806-7737-9000-{nth:012x}",
            "client_id": clients[nth % len(clients)]["id"],
            "pipeline_id": places[nth // 7 % len(places)][0],
            "stage_id": places[nth // 7 % len(places)][1],
            "created_at": (first + timedelta(seconds=nth)).isoformat(timespec="milliseconds") + "Z",
        }
        for nth in range(LEADS)
    ]
    file.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    return file.stat().st_size
