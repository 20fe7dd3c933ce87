"""Tests the API settings in a real Chromium without scripts: what each role may do, and what another site cannot do.

    python settings.py SERVER

LEADAPI_SCREENSHOTS=DIR saves screenshots there. Without Chromium, the script prints a notice and passes, or fails if
LEADAPI_REQUIRE_CHROMIUM=1.
"""

import sys
import tempfile
import urllib.error
import urllib.request

from chromium import chromium
from playwright.sync_api import Error, expect
from settings_attacks import refuse_other_sites, refuse_strangers
from settings_look import look_at_pages
from site_fixture import ADMIN, BUSINESS, MEMBER, OTHER_BUSINESS, OWNER, Site, proxy, site


def main() -> None:
    # Playwright disables the back-forward cache by default. These tests enable it, because it could show a secret
    # again.
    with chromium(ignore_default_args=["--disable-back-forward-cache"]) as browser:
        with tempfile.TemporaryDirectory() as directory, site(sys.argv[1], directory) as settings:
            admin = sign_in(browser, settings, ADMIN)
            owner = sign_in(browser, settings, OWNER)
            check_cookie(owner.context, "leadapi", is_secure=False)
            secret = create_token(owner, settings)
            replacement = rotate_token(owner, settings, secret)
            revoke_and_delete(owner, settings, replacement)
            read_audit_log(owner, settings)
            create_with_keyboard(owner, settings)
            refuse_other_sites(owner, settings)
            refuse_strangers(browser, owner, settings)
            manage_as_admin(admin, settings)
            end_session(owner, admin, settings)
            sign_out(owner, settings)
            look_at_pages(browser, settings)
        with tempfile.TemporaryDirectory() as directory:
            through_proxy(browser, directory)
    print("the API settings work for owners and admins, and for no one else")


def sign_in(browser, settings: Site, email: str):
    """Signs a person in with a link, which works once."""
    page = browser.new_context(java_script_enabled=False).new_page()
    link = settings.link(email)
    for _ in range(2):
        # Opening the link does not use it up.
        page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(settings.path("tokens"))
    expect(page.locator(".who")).to_contain_text(email)
    second = browser.new_context(java_script_enabled=False).new_page()
    second.goto(link)
    second.get_by_role("button", name="Sign in").click()
    expect(second.get_by_role("heading", level=1)).to_have_text("This link is not valid")
    assert second.context.cookies() == []
    second.context.close()
    return page


def check_cookie(context, name: str, is_secure: bool) -> None:
    [cookie] = context.cookies()
    flags = {key: cookie[key] for key in ["name", "httpOnly", "sameSite", "secure", "path"]}
    assert flags == {"name": name, "httpOnly": True, "sameSite": "Strict", "secure": is_secure, "path": "/"}, cookie


def status(settings: Site, secret: str) -> int:
    """Returns the status of the API's response to a request with this token."""
    request = urllib.request.Request(f"{settings.api}/clients", headers={"Authorization": f"Bearer {secret}"})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def read_secret(page, settings: Site) -> str:
    """Reads the secret, and checks that neither a reload nor the history shows it again or changes anything."""
    secret = page.get_by_label("Secret").input_value()
    assert status(settings, secret) == 200
    known = settings.tokens()
    page.get_by_role("link", name="Done").click()
    expect(page).to_have_url(settings.path("tokens"))
    for move in [page.go_back, page.go_back, page.go_forward, page.reload]:
        try:
            move()
        except Error as error:
            # Chromium asks whether to submit the form again.
            assert "ERR_CACHE_MISS" in error.message, error
        expect(page.get_by_label("Secret")).to_have_count(0)
    page.goto(settings.path("tokens"))
    assert settings.tokens().keys() == known.keys()
    return secret


def create_token(page, settings: Site) -> str:
    page.goto(settings.path("tokens"))
    page.get_by_role("link", name="New token").click()
    name = "Zoë’s <b>form</b>"
    page.get_by_label("Name").fill(name)
    page.get_by_label("Read").uncheck()
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_role("alert")).to_contain_text("at least one scope")
    expect(page.get_by_label("Name")).to_have_value(name)
    page.get_by_label("Read").check()
    page.get_by_label("30 days").check()
    page.get_by_role("button", name="Create token").click()
    secret = read_secret(page, settings)
    token = settings.newest()
    assert (token["name"], token["scopes"], token["created_by"]) == (name, ["read"], OWNER), token
    page.goto(settings.path("tokens"))
    expect(row(page, token)).to_contain_text(name)
    return secret


def row(page, token: dict):
    """Returns a token's row in the list."""
    return page.get_by_role("row").filter(has_text=token["prefix"])


def change(page, settings: Site, token: dict, name: str) -> None:
    """Opens the form that confirms a change, cancels it once, and submits it."""
    page.goto(settings.path("tokens"))
    for decision in ["Cancel", f"{name} token"]:
        row(page, token).get_by_role("link", name=name).click()
        page.get_by_role("link" if decision == "Cancel" else "button", name=decision).click()


def rotate_token(page, settings: Site, old: str) -> str:
    token = settings.newest()
    change(page, settings, token, "Rotate")
    secret = read_secret(page, settings)
    # Both secrets work during the overlap.
    assert status(settings, old) == 200
    tokens = settings.tokens()
    assert tokens[token["id"]]["expires_at"] != token["expires_at"] and settings.newest()["name"] == token["name"], tokens
    return secret


def revoke_and_delete(page, settings: Site, secret: str) -> None:
    token = settings.newest()
    change(page, settings, token, "Revoke")
    expect(page.get_by_role("status")).to_contain_text("was revoked")
    expect(row(page, token)).to_contain_text("revoked")
    # The server may accept the token for another 2 seconds.
    for _ in range(100):
        if status(settings, secret) == 401:
            break
        page.wait_for_timeout(100)
    assert status(settings, secret) == 401
    change(page, settings, token, "Delete")
    expect(page.get_by_role("status")).to_contain_text("was deleted")
    expect(row(page, token)).to_have_count(0)
    page.goto(settings.path("tokens", token["id"], "revoke"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")


def read_audit_log(page, settings: Site) -> None:
    page.goto(settings.path("tokens"))
    page.get_by_role("link", name="Audit log").click()
    expect(page.locator("tbody tr")).to_have_count(len(settings.log()))
    for done in ["created a token", "rotated a token", "revoked a token", "deleted a token", "signed in with a link"]:
        expect(page.get_by_role("row").filter(has_text=done).first).to_contain_text(OWNER)
    page.get_by_role("link", name="This page as JSON").click()
    expect(page.locator("body")).to_contain_text('"token_deleted"')


def create_with_keyboard(page, settings: Site) -> None:
    """Creates a token with the keyboard alone, and checks that the focus is always visible."""

    def tab_to(text: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            focus = page.evaluate("""() => {
              const [element, style] = [document.activeElement, getComputedStyle(document.activeElement)];
              const { top, bottom } = element.getBoundingClientRect();
              const text = element.labels?.[0]?.textContent || element.textContent;
              return { text, outline: parseFloat(style.outlineWidth) * (style.outlineStyle !== "none"),
                top: Math.round(top), bottom: Math.round(innerHeight - bottom) };
            }""")
            assert focus["outline"] >= 2 and focus["top"] >= 0 and focus["bottom"] >= 0, focus
            if focus["text"].startswith(text):
                return
        raise AssertionError(f"the Tab key does not reach {text}")

    page.goto(settings.path("tokens"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    tab_to("New token")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New token")
    tab_to("Name")
    page.keyboard.type("by keyboard")
    tab_to("Write")
    page.keyboard.press("Space")
    tab_to("90 days")
    page.keyboard.press("ArrowDown")
    tab_to("Create token")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Copy the secret")
    tab_to("Secret")
    token = settings.newest()
    assert (token["name"], token["scopes"]) == ("by keyboard", ["read", "write"]), token
    assert token["expires_at"][:4] > token["created_at"][:4], token
    assert page.evaluate("getSelection().toString()") == page.get_by_label("Secret").input_value()


def manage_as_admin(page, settings: Site) -> None:
    page.goto(settings.path("tokens", "new"))
    page.get_by_label("Name").fill("of the admin")
    page.get_by_role("button", name="Create token").click()
    secret = read_secret(page, settings)
    change(page, settings, settings.newest(), "Rotate")
    assert status(settings, read_secret(page, settings)) == status(settings, secret) == 200
    token = settings.newest()
    for name in ["Revoke", "Delete"]:
        change(page, settings, token, name)
        assert settings.log()[0]["email"] == ADMIN
    assert token["id"] not in settings.tokens()


def end_session(owner, admin, settings: Site) -> None:
    owner.goto(settings.path("sessions"))
    own = owner.get_by_role("row").filter(has_text=OWNER)
    expect(own).to_contain_text("this session")
    expect(own.get_by_role("button")).to_have_count(0)
    owner.get_by_role("row").filter(has_text=ADMIN).get_by_role("button").click()
    expect(owner.get_by_role("row").filter(has_text=ADMIN)).to_have_count(0)
    assert admin.goto(settings.path("tokens")).status == 403
    expect(admin.get_by_role("heading", level=1)).to_have_text("Sign in")


def sign_out(page, settings: Site) -> None:
    page.goto(settings.path("tokens"))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You are signed out")
    assert page.context.cookies() == []
    page.go_back()
    assert OWNER not in page.content(), "the history shows the tokens after signing out"
    assert page.goto(settings.path("tokens")).status == 403


def through_proxy(browser, directory: str) -> None:
    """Checks access through a proxy that authenticates people. Over HTTPS, the cookie is secure and bound to the host."""
    trust = ["--admin-url", "https://localhost", "--admin-user-header", "X-Forwarded-Email", "--admin-trusted", "127.0.0.1"]
    with site(sys.argv[1], directory, *trust) as settings:
        for email, expected in [(OWNER, 200), (MEMBER, 403), ("stranger@example.com", 404)]:
            with proxy(settings.url, email, directory) as url:
                context = browser.new_context(java_script_enabled=False, ignore_https_errors=True)
                page = context.new_page()
                assert page.goto(f"{url}/b/{BUSINESS}/tokens").status == expected, email
                if expected != 200:
                    assert context.cookies() == []
                    continue
                check_cookie(context, "__Host-leadapi", is_secure=True)
                page.get_by_role("link", name="New token").click()
                page.get_by_label("Name").fill("through the proxy")
                page.get_by_role("button", name="Create token").click()
                assert status(settings, page.get_by_label("Secret").input_value()) == 200
                assert page.goto(f"{url}/b/{OTHER_BUSINESS}/tokens").status == 404
                page.goto(url)
                expect(page.get_by_role("link", name="Harbour & Pine")).to_be_visible()
                context.close()


main()
