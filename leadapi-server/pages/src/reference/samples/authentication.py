import os

import httpx

api = httpx.Client(
    base_url=os.environ["LEADAPI_URL"],
    headers={"Authorization": f"Bearer {os.environ['LEADAPI_TOKEN']}"},
)
response = api.get("/clients").raise_for_status()
for account in response.json()["data"]:
    print(account["id"], account["name"])
