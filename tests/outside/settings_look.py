"""Checks how the API settings look: accessibility, contrast, and narrow screens."""

from axe_playwright_python.sync_playwright import Axe
from chromium import contrasts, picture, resize
from playwright.sync_api import expect
from site_fixture import OWNER, Site

LOOKS = [(1280, "light"), (1280, "dark"), (800, "light"), (360, "light"), (360, "dark")]


def look_at_pages(browser, settings: Site) -> None:
    # Axe is a script, which the pages' policy forbids.
    page = browser.new_context(bypass_csp=True).new_page()
    seen = []

    def look(name: str, title: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        for width, scheme in LOOKS:
            resize(page, width, scheme)
            violations = Axe().run(page).response["violations"]
            found = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations]
            assert not found, f"{name}, {width}, {scheme}: {found}"
            seen.extend(contrasts(page))
            picture(page, f"settings-{name}-{scheme}-{width}", full_page=True)

    page.goto(settings.url)
    look("stranger", "Sign in")
    page.goto(f"{settings.url}/sign-in/unknown")
    look("invalid-link", "This link is not valid")
    page.goto(settings.link(OWNER))
    look("sign-in", "Sign in")
    page.get_by_role("button", name="Sign in").click()
    look("tokens", "API tokens")
    page.get_by_role("link", name="New token").click()
    look("new", "New token")
    page.get_by_label("Name").fill("Website form of the branch office in Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch")
    page.get_by_label("Read").uncheck()
    page.get_by_role("button", name="Create token").click()
    look("fault", "New token")
    page.get_by_label("Read").check()
    page.get_by_label("7 days").check()
    page.get_by_role("button", name="Create token").click()
    look("secret", "Copy the secret")
    token = settings.newest()["id"]
    for change, title in [("rotate", "Rotate the token?"), ("revoke", "Revoke the token?"), ("delete", "Delete the token?")]:
        page.goto(settings.path("tokens", token, change))
        look(change, title)
    page.get_by_role("button", name="Delete token").click()
    look("refused", "Nothing was changed")
    page.goto(settings.path("tokens", token, "revoke"))
    page.get_by_role("button", name="Revoke token").click()
    look("notice", "API tokens")
    page.goto(settings.path("audit"))
    look("audit", "Audit log")
    page.goto(settings.path("sessions"))
    look("sessions", "Sessions")
    page.goto(settings.path("nothing"))
    look("not-found", "Page not found")
    page.goto(settings.path("tokens"))
    page.get_by_role("button", name="Sign out").click()
    look("signed-out", "You are signed out")
    least = min(field["border"] for field in seen)
    print(f"axe finds nothing; borders of {len(seen)} fields at least {least:.2f}:1")
    page.context.close()
