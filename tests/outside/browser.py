"""Tests the API reference in a real Chromium: it renders, trial requests work, and no request goes to another host.
The files for a static host work as well.

    python browser.py SERVER

LEADAPI_SCREENSHOTS=DIR saves screenshots there. Without Chromium, the script prints a notice and passes, or fails if
LEADAPI_REQUIRE_CHROMIUM=1.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from chromium import chromium, contrasts, picture, resize
from demo import demo
from playwright.sync_api import expect

# The public URL, as if the server were behind a proxy.
PUBLIC_URL = "https://api.example.com/crm/v1"

SAMPLES = Path(__file__).resolve().parent.parent.parent / "leadapi-server" / "pages" / "src" / "reference" / "samples"


def main() -> None:
    with demo(sys.argv[1], "--public-url", PUBLIC_URL) as (url, ops, tokens), chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        try_page(context, f"{ops}/docs", url, tokens["A"])
        type_token(context, f"{ops}/docs", tokens["A"])
        check_tokens(context, f"{ops}/docs", tokens["A"])
        link_operations(context, f"{ops}/docs")
        read_guides(context, f"{ops}/docs")
        search(context, f"{ops}/docs")
        open_menu_on_phone(context, f"{ops}/docs")
        switch_theme(context, f"{ops}/docs")
        for scheme in ["light", "dark"]:
            measure_contrast(context, f"{ops}/docs", scheme)
        with static_host(sys.argv[1], url) as address:
            read_static_files(context, f"{address}/reference/", url, tokens["A"])


def try_page(context, url: str, api: str, token: str) -> None:
    page = context.new_page()
    requests, messages = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))

    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    expect(page.locator("nav a")).to_have_count(13)
    picture(page, "desktop")

    # The page shows the response that refuses a request without a token.
    leads = page.locator("#list_leads")
    leads.get_by_role("button", name="Send").click()
    expect(leads.locator(".came .status")).to_have_text("401")
    expect(leads.locator(".came")).to_contain_text("missing token")
    refused = messages.copy()
    messages.clear()
    # Chromium itself logs each 401 response.
    assert all("401" in text for text in refused), refused

    page.locator("#token").fill(token)
    leads.get_by_label("limit").fill("2")
    expect(leads.locator(".curl")).to_contain_text(f"'{PUBLIC_URL}/leads?limit=2'")
    leads.get_by_role("button", name="Send").click()
    expect(leads.locator(".came .status")).to_have_text("200")
    expect(leads.locator(".came")).to_contain_text('"limit": 2')
    expect(leads.locator(".came .headers")).to_contain_text("cache-control: no-store")

    create = page.locator("#create_lead")
    create.get_by_label("Body").fill('{"client_id": "019bb17b-d806-7737-af83-b92ecab0df7d", "name": "Zoë <b>Quist</b>"}')
    create.get_by_label("Idempotency-Key").fill("from the page".replace(" ", "-"))
    create.get_by_role("button", name="Send").click()
    expect(create.locator(".came .status")).to_have_text("201")
    expect(create.locator(".came")).to_contain_text('"name": "Zoë <b>Quist</b>"')
    expect(create.locator(".came .headers")).to_contain_text("location: /crm/v1/leads/")
    create.scroll_into_view_if_needed()
    picture(page, "created")

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    create.get_by_role("button", name="Copy as curl").click()
    expect(create.get_by_role("button", name="Copied")).to_be_visible()
    curl = page.evaluate("navigator.clipboard.readText()")
    assert "$LEADAPI_TOKEN" in curl and token not in curl, curl
    assert PUBLIC_URL in curl, curl
    # No proxy serves the public URL, so the test replaces it with the server's address.
    answer = subprocess.run(["sh", "-c", curl.replace(PUBLIC_URL, api)], env={**os.environ, "LEADAPI_TOKEN": token}, capture_output=True, text=True)
    assert "201 Created" in answer.stdout and "idempotency-replayed: true" in answer.stdout, answer

    # Every operation's example succeeds on the sample data. The delete comes last, because it deletes the example lead.
    for operation in ["get_lead", "update_lead", "list_pipelines", "list_clients", "delete_lead"]:
        section = page.locator(f"#{operation}")
        section.get_by_role("button", name="Send").click()
        expect(section.locator(".came .status")).to_have_text("204" if operation == "delete_lead" else "200")
    create.locator("details.response > summary").first.click()
    expect(create.locator("details.response").first).to_contain_text("Idempotency-Replayed")
    picture(page, "answers")

    kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.href]")
    assert kept[:3] == [0, 0, ""] and token not in kept[3], kept
    for width, scheme in [(390, "light"), (390, "dark"), (1440, "dark")]:
        resize(page, width, scheme)
        page.evaluate("scrollTo(0, 0)")
        picture(page, f"{scheme}-{width}")
        page.locator("#create_lead").evaluate("section => section.scrollIntoView()")
        picture(page, f"{scheme}-{width}-create")

    # The Content Security Policy blocks requests to other origins.
    blocked = page.evaluate("fetch('http://127.0.0.2:18080/').then(() => 'sent', () => 'refused')")
    assert blocked == "refused" and any("Content Security Policy" in text for text in messages), (blocked, messages)
    messages = [text for text in messages if "127.0.0.2" not in text]
    origin = url.removesuffix("/docs")
    foreign = [address for address in requests if not address.startswith((origin + "/", "http://127.0.0.2:18080"))]
    assert not foreign and not messages, (foreign, messages)
    assert not any(token in address for address in requests)
    print(f"the page works: {len(requests)} requests, all to {origin}")


def type_token(context, url: str, token: str) -> None:
    """Checks that typing the token does not scroll the page."""
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    page.locator("#create_lead").evaluate("section => section.scrollIntoView()")
    before = page.evaluate("scrollY")
    top, bar = (page.locator(part).evaluate("part => part.getBoundingClientRect()") for part in ["#create_lead", ".bar"])
    assert before > 500 and top["top"] >= bar["bottom"], (before, top, bar)
    # Uses a mouse click, because Playwright's own click would scroll the field into view.
    box = page.locator("#token").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.type(token)
    assert page.locator("#token").input_value() == token
    after = page.evaluate("scrollY")
    assert after == before, f"typing the token scrolled the page from {before} to {after}"
    page.close()


def check_tokens(context, url: str, token: str) -> None:
    """Checks that the bar shows whether the server accepts the token."""
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    state = page.locator("#token-state")
    for typed, shown in [("pak_unknown", "Not accepted"), (token, "Accepted")]:
        page.locator("#token").fill(typed)
        expect(state).to_be_empty()
        page.locator("#token").press("Enter")
        expect(state).to_have_text(shown)
    page.locator("#token").fill("")
    page.locator("#token").press("Enter")
    expect(state).to_be_empty()
    page.close()


def link_operations(context, url: str) -> None:
    """Checks that each heading has a link that a click copies, and each example has a copy button."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".anchor")).to_have_count(13)
    page.locator("#update_lead .anchor").click()
    expect(page.locator("#update_lead .anchor")).to_have_text("Copied")
    address = page.evaluate("navigator.clipboard.readText()")
    assert address == page.url == f"{url}#update_lead", (address, page.url)
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#update_lead h3")).to_be_in_viewport()

    page.locator("#list_pipelines details.response > summary").first.click()
    example = page.locator("#list_pipelines details.response .json").first
    example.hover()
    example.get_by_role("button", name="Copy").click()
    expect(example.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == example.locator("pre").inner_text(), copied
    page.close()


def read_guides(context, url: str) -> None:
    """Checks that all samples switch to the chosen language and can be copied, and that the choice survives a reload."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".guide")).to_have_count(6)
    expect(page.locator("#base-url")).to_have_text(PUBLIC_URL)
    samples = page.locator(".samples")
    shown = samples.locator("pre:visible")
    expect(shown).to_have_count(5)
    assert all("curl" in text for text in shown.all_inner_texts())
    paging = page.locator("#paging .samples")
    python = paging.get_by_role("group", name="Language").get_by_role("button", name="Python")
    python.focus()
    before = python.bounding_box()["y"]
    page.keyboard.press("Enter")
    expect(samples.get_by_role("button", name="Python", pressed=True)).to_have_count(5)
    expect(shown).to_have_count(5)
    assert all("httpx" in text for text in shown.all_inner_texts())
    after = python.bounding_box()["y"]
    assert abs(after - before) < 2, f"the button moved from {before} to {after}"
    paging.get_by_role("button", name="Copy").click()
    expect(paging.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == (SAMPLES / "paging.py").read_text().rstrip(), copied
    page.reload()
    expect(paging.get_by_role("button", name="Python", pressed=True)).to_be_visible()
    page.locator("#paging").evaluate("section => section.scrollIntoView()")
    picture(page, "guides")
    page.evaluate("localStorage.clear()")
    page.close()


def search(context, url: str) -> None:
    """Checks that the search finds guides, operations and fields, with the keyboard alone."""
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    found, status = page.locator("#results a"), page.get_by_role("search").get_by_role("status")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    for query, first, where in [
        ("paging", "Paging", "Guide"), ("merge patch", "Update a lead", "PATCH /leads/{id}"), ("POST /leads", "Create a lead", "POST /leads"),
        ("delete_lead", "Delete a lead", "DELETE /leads/{id}"), ("idempotency-k", "Idempotency-Key", "Create a lead"),
    ]:
        page.locator("#search").fill(query)
        expect(found.first).to_have_text(first + where)
    expect(page.locator("#list")).to_be_hidden()
    page.locator("#search").fill("merge patch")
    expect(status).to_have_text("1 result")
    page.locator("#search").fill("position")
    expect(found.first).to_have_text("positionList pipelines")
    picture(page, "search")
    # The field is inside two collapsed elements.
    page.keyboard.press("Enter")
    expect(page.locator("#list_pipelines\\.200\\.data\\.stages\\.position")).to_be_in_viewport()
    page.locator("#search").fill("retry-after")
    page.keyboard.press("ArrowDown")
    expect(found.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(found.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#search")).to_be_focused()
    page.locator("#search").fill("zebra")
    expect(status).to_have_text("No results")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_have_value("")
    expect(page.locator("#list")).to_be_visible()
    # In other input fields, the key types a character.
    page.locator("#token").focus()
    page.keyboard.press("/")
    expect(page.locator("#token")).to_have_value("/")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(({ id }) => id)")
    assert len(ids) == len(set(ids)) > 100, sorted(id for id in ids if ids.count(id) > 1)
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator("#create_lead h3").click()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("email")
    expect(found.first).to_be_in_viewport()
    picture(page, "search-390")
    page.close()


@contextmanager
def static_host(binary: str, api: str):
    """Serves the files of the `docs` command below a path of another origin than the API's."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "docs", f"{folder}/reference", "--server", api]
        subprocess.run(command, check=True)
        again = subprocess.run(command, capture_output=True, text=True)
        assert again.returncode == 1 and "--force" in again.stderr, again
        subprocess.run([*command, "--force"], check=True)
        handler = partial(QuietHandler, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments) -> None:
        pass


def read_static_files(context, url: str, api: str, token: str) -> None:
    """Checks that the files work on a static host, and that the page explains why the browser blocks trial requests."""
    page = context.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    expect(page.locator(".guide")).to_have_count(6)
    expect(page.locator("#base-url")).to_have_text(api)
    assert not messages, messages
    page.locator("#token").fill(token)
    clients = page.locator("#list_clients")
    expect(clients.locator(".curl")).to_contain_text(f"'{api}/clients'")
    expect(clients.locator(".foreign")).to_contain_text("CORS")
    clients.get_by_role("button", name="Send").click()
    expect(clients.locator(".failed")).to_contain_text("could not be sent")
    assert any("CORS" in text for text in messages) and not any("Security Policy" in text for text in messages), messages

    # A proxy that allows other origins makes trial requests work.
    def allow(route) -> None:
        headers = {"access-control-allow-origin": "*", "access-control-allow-headers": "authorization"}
        if route.request.method == "OPTIONS":
            route.fulfill(status=204, headers=headers)
        else:
            response = route.fetch()
            route.fulfill(response=response, headers={**response.headers, **headers})

    page.route(f"{api}/**", allow)
    clients.get_by_role("button", name="Send").click()
    expect(clients.locator(".came .status")).to_have_text("200")
    blocked = page.evaluate("fetch('http://127.0.0.2:18080/').then(() => 'sent', () => 'refused')")
    assert blocked == "refused" and any("Content Security Policy" in text for text in messages), (blocked, messages)
    picture(page, "static")
    page.close()
    print("the static files work")


def open_menu_on_phone(context, url: str) -> None:
    """Checks that on a small screen the list of operations opens from the bar, at any scroll position."""
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    link, menu = page.locator("nav a", has_text="GET").first, page.locator("#menu")
    expect(link).to_be_hidden()
    menu.click()
    expect(link).to_be_in_viewport()
    picture(page, "menu-390")
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    menu.click()
    link.click()
    expect(link).to_be_hidden()
    expect(page.locator(page.evaluate("location.hash")).locator("h3")).to_be_in_viewport()
    page.close()


def switch_theme(context, url: str) -> None:
    """Checks that the theme follows the system until the reader chooses one, and that the choice survives a reload."""
    page = context.new_page()
    page.emulate_media(color_scheme="dark")
    page.goto(url)
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(background)
    assert light != dark, light
    page.locator("#theme").click()
    assert page.evaluate(background) == dark
    page.reload()
    assert page.evaluate(background) == dark
    page.locator("#theme").click()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == light
    assert page.evaluate("Object.keys(localStorage)") == ["theme"]
    page.evaluate("localStorage.clear()")
    page.close()


def measure_contrast(context, url: str, scheme: str) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    fields = contrasts(page)
    assert len(fields) > 15 and any(field["placeholder"] for field in fields), fields
    least = min(field["border"] for field in fields), min(field["placeholder"] for field in fields if field["placeholder"])
    print(f"{scheme}: borders of {len(fields)} fields at least {least[0]:.2f}:1, placeholders at least {least[1]:.2f}:1")
    page.close()


main()
