import os

import httpx

api = httpx.Client(
    base_url=os.environ["LEADAPI_URL"],
    headers={"Authorization": f"Bearer {os.environ['LEADAPI_TOKEN']}"},
)


def create():
    lead = {"client_id": "019bb17b-d806-7737-af83-b92ecab0df7d", "name": "Ada Lovelace"}
    return api.post("/leads", json=lead, headers={"Idempotency-Key": "signup-4711"})


try:
    response = create()
except httpx.TransportError:
    # The response was lost. The second request creates no second lead.
    response = create()
print(response.raise_for_status().json()["id"])
