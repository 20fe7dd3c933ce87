import os
import time

import httpx

api = httpx.Client(
    base_url=os.environ["LEADAPI_URL"],
    headers={"Authorization": f"Bearer {os.environ['LEADAPI_TOKEN']}"},
)
while (response := api.get("/leads", params={"limit": 1})).status_code == 429:
    time.sleep(int(response.headers["Retry-After"]))
print(response.raise_for_status().json()["total"], "leads")
