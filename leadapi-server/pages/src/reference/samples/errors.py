import os

import httpx

api = httpx.Client(
    base_url=os.environ["LEADAPI_URL"],
    headers={"Authorization": f"Bearer {os.environ['LEADAPI_TOKEN']}"},
)
response = api.get("/leads/unknown")
if response.is_success:
    print(response.json()["name"])
elif response.status_code == 404:
    print(response.json()["error"])  # id: no such lead
else:
    response.raise_for_status()
