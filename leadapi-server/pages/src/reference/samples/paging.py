import os

import httpx

api = httpx.Client(
    base_url=os.environ["LEADAPI_URL"],
    headers={"Authorization": f"Bearer {os.environ['LEADAPI_TOKEN']}"},
)
leads = {}
offset = 0
while True:
    page = api.get("/leads", params={"limit": 20, "offset": offset}).raise_for_status().json()
    # A lead that is created during the loop moves others to the next page, so the ids remove duplicates.
    leads |= {lead["id"]: lead for lead in page["data"]}
    offset += len(page["data"])
    if not page["data"] or offset >= page["total"]:
        break
print(len(leads), "leads")
