"""Signs in to the example `platform` in a real Chromium, makes a token in the settings, and sends a trial request from
the reference. Prints the token. The test `platform` starts the example and runs this script.

    python platform_walk.py URL PASSWORD
"""

import sys

from chromium import chromium, picture
from playwright.sync_api import expect


def main() -> None:
    url, password = sys.argv[1:]
    with chromium() as browser:
        page = browser.new_context().new_page()
        assert page.goto(url).status == 403
        page.get_by_role("link", name="Sign in").click()
        page.locator("[name=password]").fill("guess")
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(f"{url}/login")
        page.locator("[name=password]").fill(password)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Choose a business")
        page.get_by_role("link", name="Harbour & Pine").click()
        page.get_by_role("link", name="New token").click()
        page.get_by_label("Name").fill("a script")
        page.get_by_label("Write").check()
        page.get_by_role("button", name="Create token").click()
        token = page.get_by_label("Secret").input_value()
        picture(page, "platform")
        try_reference(page, url, token)
        print(token)


def try_reference(page, url: str, token: str) -> None:
    page.goto(f"{url}/docs")
    page.locator("#token").fill(token)
    leads = page.locator("#list_leads")
    leads.get_by_role("button", name="Send").click()
    expect(leads.locator(".came .status")).to_have_text("200")


main()
