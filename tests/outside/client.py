"""Generates a client with a third-party generator, and calls all seven operations with it.

    python client.py SERVER
"""

import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from demo import demo

OPENAPI = Path(__file__).resolve().parent.parent.parent / "leadapi-core" / "openapi.json"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        generate(Path(directory))
        sys.path.insert(0, directory)
        with demo(sys.argv[1]) as (url, _, tokens):
            seven_operations(url, tokens["A"])
    print("a generated client completed the seven operations")


def generate(directory: Path) -> None:
    # Disables the post hooks, which only format the code.
    config = directory / "config.yml"
    config.write_text("post_hooks: []\n")
    generator = Path(sys.executable).parent / "openapi-python-client"
    command = [generator, "generate", "--path", OPENAPI, "--meta", "none", "--output-path", directory / "generated",
               "--config", config, "--fail-on-warning"]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0 and "arning" not in made.stdout, made.stdout + made.stderr


def seven_operations(url: str, token: str) -> None:
    from generated import AuthenticatedClient
    from generated.api.client_accounts import list_clients
    from generated.api.leads import create_lead, delete_lead, get_lead, list_leads, update_lead
    from generated.api.pipelines import list_pipelines
    from generated.models import Error, Lead, LeadPatch, NewLead

    client = AuthenticatedClient(base_url=url, token=token)

    accounts = list_clients.sync(client=client, limit=2)
    assert (len(accounts.data), accounts.limit, accounts.offset) == (2, 2, 0) and accounts.total == 4, accounts
    pipelines = list_pipelines.sync(client=client)
    stages = pipelines.data[0].stages
    assert [stage.position for stage in stages] == list(range(1, len(stages) + 1)), stages

    new = NewLead(client_id=accounts.data[0].id, name=" Ada Lovelace ", phone="+44 20 0000 0001", value=450.5, stage_id=stages[1].id)
    created = create_lead.sync_detailed(client=client, body=new, idempotency_key="generated-1")
    lead = created.parsed
    assert created.status_code == 201 and isinstance(lead, Lead), created
    assert (lead.name, lead.value, lead.email, lead.pipeline_id) == ("Ada Lovelace", 450.5, None, pipelines.data[0].id), lead
    assert abs((datetime.now(timezone.utc) - lead.created_at).total_seconds()) < 60, lead
    assert created.headers["location"].endswith(f"/leads/{lead.id}"), created.headers
    again = create_lead.sync_detailed(client=client, body=new, idempotency_key="generated-1")
    assert again.parsed == lead and again.headers["idempotency-replayed"] == "true", again

    assert get_lead.sync(lead.id, client=client) == lead
    listed = list_leads.sync(client=client, client_id=lead.client_id, stage_id=lead.stage_id)
    assert [item.id for item in listed.data].count(lead.id) == 1 and listed.total == len(listed.data), listed
    changed = update_lead.sync(lead.id, client=client, body=LeadPatch(phone=None, notes="Wants a call."))
    assert (changed.phone, changed.notes, changed.name, changed.stage_id) == (None, "Wants a call.", lead.name, lead.stage_id), changed

    gone = delete_lead.sync_detailed(lead.id, client=client)
    assert gone.status_code == 204 and gone.content == b"", gone
    missing = get_lead.sync_detailed(lead.id, client=client)
    assert missing.status_code == 404 and missing.parsed == Error(error="id: no such lead"), missing
    refused = list_leads.sync_detailed(client=client, limit=201)
    assert refused.status_code == 400 and refused.parsed.error == "limit must be an integer from 1 to 200", refused
    stranger = list_clients.sync_detailed(client=AuthenticatedClient(base_url=url, token="pak_x"))
    assert stranger.status_code == 401 and stranger.parsed.error == "Authorization: invalid token", stranger


main()
