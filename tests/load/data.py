"""Generates the data set of the load test: similar businesses with one token each."""

import json
import zlib
from datetime import datetime, timedelta
from pathlib import Path

BUSINESSES = 1_000
LEADS = 100
CLIENTS = 5
STAGES = 4

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def token(nth: int) -> str:
    """Returns a token with a valid checksum (contract D8)."""
    secret = f"pak_{nth:043}"
    checksum, digits = zlib.crc32(secret.encode()), ""
    for _ in range(6):
        checksum, digit = divmod(checksum, 62)
        digits = BASE62[digit] + digits
    return secret + digits


def lead_id(business: int, nth: int) -> str:
    return f"019bb17b-d806-7737-9000-{business * LEADS + nth:012x}"


def write(folder: Path) -> None:
    """Writes `data.json` for the server."""
    businesses = [business(nth) for nth in range(BUSINESSES)]
    (folder / "data.json").write_text(json.dumps({"businesses": businesses}))


def business(nth: int) -> dict:
    created = "2026-01-12T09:00:00.000Z"
    stages = [{"id": f"s{stage}-{nth}", "name": f"Stage {stage}", "position": stage + 1} for stage in range(STAGES)]
    return {
        "id": f"b{nth}",
        "name": f"Business {nth}",
        "created_at": created,
        "clients": [{"id": f"c{client}-{nth}", "name": f"Client {client}", "created_at": created} for client in range(CLIENTS)],
        "pipelines": [{"id": f"p-{nth}", "name": "Sales", "created_at": created, "stages": stages}],
        "leads": [lead(nth, each) for each in range(LEADS)],
        "tokens": [{"name": "load", "scopes": ["read", "write"], "token": token(nth)}],
    }


def lead(business: int, nth: int) -> dict:
    created = datetime(2026, 1, 12, 9) + timedelta(seconds=nth)
    return {
        "id": lead_id(business, nth),
        "client_id": f"c{nth % CLIENTS}-{business}",
        "name": f"Lead {nth} of {business}",
        "email": f"lead-{nth}@example.org",
        "phone": "+49 30 901820",
        "source": "website",
        "value": 450 + nth,
        "pipeline_id": f"p-{business}",
        "stage_id": f"s{nth % STAGES}-{business}",
        "created_at": created.isoformat(timespec="milliseconds") + "Z",
    }
