"""The API reference in a real Chromium: it is drawn, requests are tried and answered, and nothing is asked of any other host.

    python browser.py SERVER

With LEADAPI_SCREENSHOTS=DIR it leaves pictures there. Without Chromium it says so and passes, unless
LEADAPI_REQUIRE_CHROMIUM=1.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from demo import demo
from playwright.sync_api import expect, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


# On a machine that is busy with other tests a page takes its time.
expect.set_options(timeout=60_000)


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("LEADAPI_REQUIRE_CHROMIUM"):
            sys.exit("there is no chromium here")
        print("there is no chromium here: the page is not tried")
        return
    with demo(sys.argv[1]) as (_, ops, tokens), tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium, headless=True, args=FLAGS, viewport={"width": 1440, "height": 1000})
        try_page(context, f"{ops}/docs", tokens["A"])
        context.close()


def try_page(context, url: str, token: str) -> None:
    page = context.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))

    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    expect(page.locator("nav a")).to_have_count(7)
    picture(page, "desktop")

    # Without a token a request is refused, and the page shows it.
    leads = page.locator("#list_leads")
    leads.get_by_role("button", name="Send").click()
    expect(leads.locator(".came .status")).to_have_text("401")
    expect(leads.locator(".came")).to_contain_text("missing token")
    refused = said.copy()
    said.clear()
    # That an answer was 401 is said by Chromium itself.
    assert all("401" in text for text in refused), refused

    page.locator("#token").fill(token)
    leads.get_by_label("limit").fill("2")
    expect(leads.locator(".curl")).to_contain_text("/v1/leads?limit=2'")
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
    expect(create.locator(".came .headers")).to_contain_text("location: /v1/leads/")
    create.scroll_into_view_if_needed()
    picture(page, "created")

    context.grant_permissions(["clipboard-read", "clipboard-write"])
    create.get_by_role("button", name="Copy as curl").click()
    expect(create.get_by_role("button", name="Copied")).to_be_visible()
    curl = page.evaluate("navigator.clipboard.readText()")
    assert "$LEADAPI_TOKEN" in curl and token not in curl, curl
    answer = subprocess.run(["sh", "-c", curl], env={**os.environ, "LEADAPI_TOKEN": token}, capture_output=True, text=True)
    assert "201 Created" in answer.stdout and "idempotency-replayed: true" in answer.stdout, answer

    # The example of every operation does what it says on the sample; the delete comes last.
    for operation in ["get_lead", "update_lead", "list_pipelines", "list_clients", "delete_lead"]:
        section = page.locator(f"#{operation}")
        section.get_by_role("button", name="Send").click()
        expect(section.locator(".came .status")).to_have_text("204" if operation == "delete_lead" else "200")
    create.locator("details.answer > summary").first.click()
    expect(create.locator("details.answer").first).to_contain_text("Idempotency-Replayed")
    picture(page, "answers")

    kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.href]")
    assert kept[:3] == [0, 0, ""] and token not in kept[3], kept
    for width, scheme in [(390, "light"), (390, "dark"), (1440, "dark")]:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        across = page.evaluate("document.documentElement.scrollWidth")
        assert across <= width, f"at {width} pixels the page is {across} wide"
        page.evaluate("scrollTo(0, 0)")
        picture(page, f"{scheme}-{width}")
        page.locator("#create_lead").evaluate("section => section.scrollIntoView()")
        picture(page, f"{scheme}-{width}-create")

    # The policy of the page holds: what is of another origin is not even asked for.
    blocked = page.evaluate("fetch('http://127.0.0.2:18080/').then(() => 'asked', () => 'refused')")
    assert blocked == "refused" and any("Content Security Policy" in text for text in said), (blocked, said)
    said = [text for text in said if "127.0.0.2" not in text]
    origin = url.removesuffix("/docs")
    strangers = [asked for asked in asked if not asked.startswith((origin + "/", "http://127.0.0.2:18080"))]
    assert not strangers and not said, (strangers, said)
    assert not any(token in asked for asked in asked)
    print(f"the page was drawn and tried: {len(asked)} requests, all of them to {origin}")


def picture(page, name: str) -> None:
    directory = os.environ.get("LEADAPI_SCREENSHOTS")
    if directory:
        page.screenshot(path=Path(directory) / f"{name}.png")


main()
