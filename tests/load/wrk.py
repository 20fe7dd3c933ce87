"""Runs rounds of load with wrk."""

import json
import subprocess
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile

from data import BUSINESSES, CLIENTS, LEADS, STAGES, lead_id, token

SCRIPT = Path(__file__).parent / "requests.lua"
CONNECTIONS = 64
# The number of requests of each kind in the mix for one business.
MIX = {"one": 14, "filtered": 4, "create": 1, "update": 1}

# Requests per second, and seconds of CPU time per request.
Measured = namedtuple("Measured", ["per_second", "cpu"])


def measure(server, workload: str, seconds: int) -> Measured:
    with requests_file(workload, BUSINESSES if workload == "mixed" else 1) as file:
        before = server.cpu()
        requests, per_second = wrk([server.url], workload, seconds, file, ["taskset", "-c", "1"])
        return Measured(per_second, (server.cpu() - before) / requests)


def wrk(urls: list[str], workload: str, seconds: int, file: str, prefix: list[str]) -> tuple[int, float]:
    """Sends requests to all servers concurrently. Returns the number of requests and the rate."""
    connections = CONNECTIONS // len(urls)
    command = [*prefix, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", SCRIPT]
    running = [
        subprocess.Popen([*command, url, "--", file, str(nth), str(len(urls))], stdout=subprocess.PIPE, text=True)
        for nth, url in enumerate(urls)
    ]
    total, rate = 0, 0
    for process in running:
        output, _ = process.communicate(timeout=seconds + 60)
        if process.returncode:
            raise SystemExit(f"wrk has failed:\n{output}")
        requests, microseconds, failed = map(int, output.splitlines()[-1].split())
        if failed:
            raise SystemExit(f"{failed} of {requests} requests in the workload {workload} failed:\n{output}")
        total, rate = total + requests, rate + requests / microseconds * 1e6
    return total, rate


@contextmanager
def requests_file(workload: str, businesses: int):
    """Writes a file of requests to the first businesses, and returns its name."""
    # The seed is fixed, so that all servers receive the same requests.
    requests = spread_requests(workload, businesses, Random(1))
    with NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(each) + "\n" for each in requests)
        file.flush()
        yield file.name


def spread_requests(workload: str, businesses: int, random: Random):
    """Yields the same mix of requests for each business, so that all businesses approach their limits together."""
    mix = MIX if workload == "mixed" else {workload: sum(MIX.values())}
    order = list(range(businesses))
    decks = [random.sample(list(mix), counts=mix.values(), k=sum(mix.values())) for _ in order]
    for nth in range(sum(mix.values())):
        random.shuffle(order)
        yield from (request(decks[business][nth], business, random.randrange(LEADS), random) for business in order)


def request(kind: str, business: int, lead: int, random: Random) -> dict:
    method, path, body = {
        "one": lambda: ("GET", f"/leads/{lead_id(business, lead)}", None),
        "list": lambda: ("GET", "/leads?limit=50", None),
        "filtered": lambda: ("GET", f"/leads?{filters(business, random)}", None),
        "create": lambda: ("POST", "/leads", new_lead(business)),
        "keyed": lambda: ("POST", "/leads", new_lead(business)),
        "update": lambda: ("PATCH", f"/leads/{lead_id(business, lead)}", {"notes": "Wants a call.", "value": lead}),
    }[kind]()
    # `requests.lua` sends each request with a key under a new idempotency key.
    key = {"key": "new"} if kind == "keyed" else {}
    return {"method": method, "path": path, "token": token(business), "body": body and json.dumps(body), **key}


def new_lead(business: int) -> dict:
    return {"client_id": f"c0-{business}", "name": "Ada Lovelace", "email": "ada@example.org", "value": 450}


def filters(business: int, random: Random) -> str:
    by = random.choice(["", f"client_id=c{random.randrange(CLIENTS)}-{business}&", f"stage_id=s{random.randrange(STAGES)}-{business}&"])
    return f"{by}limit={random.choice([10, 50])}&offset={random.randrange(LEADS // 2)}"
