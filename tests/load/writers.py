"""Creates leads through several servers while faults happen, and compares the responses with the leads in the store."""

import http.client
import json
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from time import monotonic, sleep
from urllib.parse import urlparse

from data import token

# Responses after which a client may repeat a create with its idempotency key.
UNKNOWN = {0, 500, 503}


@dataclass
class Sent:
    business: int
    at: float
    seconds: float
    status: int


@dataclass
class Writers:
    urls: list[str]
    businesses: int
    per_business: int = 2
    interval: float = 0.4
    sent: list[Sent] = field(default_factory=list)
    acknowledged: dict = field(default_factory=dict)
    unknown: dict = field(default_factory=dict)
    unexpected: list = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self):
        self.lock = Lock()
        self.start = monotonic()
        all_threads = [(business, nth) for business in range(self.businesses) for nth in range(self.per_business)]
        self.threads = [Thread(target=self.write, args=each, daemon=True) for each in all_threads]
        for thread in self.threads:
            thread.start()

    def now(self) -> float:
        return monotonic() - self.start

    def write(self, business: int, nth: int) -> None:
        client, count = Client(self.urls[(business + nth) % len(self.urls)]), 0
        while not self.stopped:
            count += 1
            name = f"new-{business}-{nth}-{count}"
            self.create(client, business, name)
            sleep(self.interval)

    def create(self, client: "Client", business: int, name: str) -> None:
        lead = {"name": name, "client_id": f"c0-{business}", "stage_id": f"s0-{business}"}
        at = self.now()
        status, body = client.call("POST", "/leads", business, lead, name)
        with self.lock:
            self.sent.append(Sent(business, at, self.now() - at, status))
            if status == 201:
                self.acknowledged[business, name] = body["id"]
                self.unknown.pop((business, name), None)
            elif status in UNKNOWN:
                self.unknown[business, name] = status
            else:
                self.unexpected.append((status, body))

    def stop(self) -> None:
        self.stopped = True
        for thread in self.threads:
            thread.join()
        if self.unexpected:
            raise SystemExit(f"unexpected responses: {self.unexpected[:3]}")

    def check(self) -> dict:
        """Repeats the creates whose outcome is unknown, and compares all acknowledged leads with the lists."""
        unknown = list(self.unknown)
        client = Client(self.urls[0])
        applied = self.names(client)
        for business, name in unknown:
            self.create(client, business, name)
        lists = self.leads(client)
        missing = sum(lists[business].get(lead) != name for (business, name), lead in self.acknowledged.items())
        names = Counter((business, name) for business, leads in lists.items() for name in leads.values() if name.startswith("new-"))
        return {
            "acknowledged creates": len(self.acknowledged) - len(unknown) + len(self.unknown),
            "creates without a response that were applied": sum(each in applied for each in unknown),
            "creates without a response that were not applied": sum(each not in applied for each in unknown),
            "repeated creates that still failed": len(self.unknown),
            "acknowledged leads that are missing": missing,
            "leads that exist twice": sum(count > 1 for count in names.values()),
            "leads that nobody created": sum(each not in self.acknowledged for each in names),
        }

    def leads(self, client: "Client") -> dict:
        return {business: client.list(business) for business in range(self.businesses)}

    def names(self, client: "Client") -> set:
        return {(business, name) for business, leads in self.leads(client).items() for name in leads.values()}

    def outage(self, businesses: set, since: float) -> dict:
        """Describes what callers of some businesses saw after an instant."""
        sent = [each for each in self.sent if each.business in businesses and each.at + each.seconds >= since]
        failed = [each for each in sent if each.status != 201]
        gaps = defaultdict(float)
        last = dict.fromkeys(businesses, since)
        for each in sorted((each for each in sent if each.status == 201), key=lambda each: each.at + each.seconds):
            end = each.at + each.seconds
            gaps[each.business] = max(gaps[each.business], end - last[each.business])
            last[each.business] = end
        return {
            "requests": len(sent),
            "failed": len(failed),
            "statuses": dict(Counter(each.status for each in failed)),
            "businesses that failed": f"{len({each.business for each in failed})} of {len(businesses)}",
            "first failure, s after the fault": round(min((each.at + each.seconds - since for each in failed), default=0), 1),
            "last failure, s after the fault": round(max((each.at + each.seconds - since for each in failed), default=0), 1),
            "longest time without a success, s": round(max(gaps.values(), default=0), 1),
            "slowest response, s": round(max((each.seconds for each in sent), default=0), 1),
        }


class Client:
    def __init__(self, url: str):
        self.url, self.connection = urlparse(url), None

    def call(self, method: str, path: str, business: int, body: dict | None = None, key: str | None = None):
        headers = {"Authorization": f"Bearer {token(business)}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=40)
            self.connection.request(method, self.url.path + path, json.dumps(body) if body else None, headers)
            response = self.connection.getresponse()
            return response.status, json.loads(response.read())
        except (http.client.HTTPException, OSError) as error:
            with suppress(OSError):
                self.connection.close()
            self.connection = None
            return 0, repr(error)

    def list(self, business: int) -> dict:
        """Returns the names of all leads by id."""
        found = {}
        while True:
            status, page = self.call("GET", f"/leads?limit=200&offset={len(found)}", business)
            if status != 200:
                raise SystemExit(f"a list was answered with {status}: {page}")
            found |= {lead["id"]: lead["name"] for lead in page["data"]}
            if not page["data"]:
                assert len(found) == page["total"], f"business {business} has {page['total']} leads, listed {len(found)}"
                return found
