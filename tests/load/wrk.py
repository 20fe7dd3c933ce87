"""Runs one round of load with wrk."""

import json
import subprocess
from collections import namedtuple
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile

from data import BUSINESSES, CLIENTS, LEADS, STAGES, lead_id, token

SCRIPT = Path(__file__).parent / "requests.lua"
CONNECTIONS = 64
# The number of different requests in the mixed workload.
REQUESTS = 10_000

# Requests per second, and seconds of CPU time per request.
Measured = namedtuple("Measured", ["per_second", "cpu"])


def measure(server, workload: str, seconds: int) -> Measured:
    with NamedTemporaryFile("w", suffix=".jsonl") as file:
        # A fixed seed, so that both servers receive the same requests.
        random = Random(1)
        for _ in range(REQUESTS if workload == "mixed" else 1):
            file.write(json.dumps(request(workload, random)) + "\n")
        file.flush()
        before = server.cpu()
        output = wrk(server.url, seconds, file.name)
        used = server.cpu() - before
    requests, microseconds, failed = map(int, output.splitlines()[-1].split())
    if failed:
        raise SystemExit(f"{failed} of {requests} requests of the workload {workload} failed:\n{output}")
    return Measured(requests / microseconds * 1e6, used / requests)


def wrk(url: str, seconds: int, requests: str) -> str:
    command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", SCRIPT, url, "--", requests]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def request(workload: str, random: Random) -> dict:
    if workload == "mixed":
        workload = random.choices(["one", "filtered", "create", "update"], [70, 20, 5, 5])[0]
        business, lead = random.randrange(BUSINESSES), random.randrange(LEADS)
    else:
        business, lead = 0, 0
    method, path, body = {
        "one": lambda: ("GET", f"/leads/{lead_id(business, lead)}", None),
        "list": lambda: ("GET", "/leads?limit=50", None),
        "filtered": lambda: ("GET", f"/leads?{filters(business, random)}", None),
        "create": lambda: ("POST", "/leads", {"client_id": f"c0-{business}", "name": "Ada Lovelace", "email": "ada@example.org", "value": 450}),
        "update": lambda: ("PATCH", f"/leads/{lead_id(business, lead)}", {"notes": "Wants a call.", "value": lead}),
    }[workload]()
    return {"method": method, "path": path, "token": token(business), "body": body and json.dumps(body)}


def filters(business: int, random: Random) -> str:
    by = random.choice(["", f"client_id=c{random.randrange(CLIENTS)}-{business}&", f"stage_id=s{random.randrange(STAGES)}-{business}&"])
    return f"{by}limit={random.choice([10, 50])}&offset={random.randrange(LEADS // 2)}"
