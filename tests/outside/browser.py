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

# Where callers would reach the server through a proxy.
PUBLIC_URL = "https://api.example.com/crm/v1"

# On a machine that is busy with other tests a page takes its time.
expect.set_options(timeout=60_000)


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("LEADAPI_REQUIRE_CHROMIUM"):
            sys.exit("there is no chromium here")
        print("there is no chromium here: the page is not tried")
        return
    with demo(sys.argv[1], "--public-url", PUBLIC_URL) as (url, ops, tokens), tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=chromium, headless=True, args=FLAGS, viewport={"width": 1440, "height": 1000})
        try_page(context, f"{ops}/docs", url, tokens["A"])
        type_token(context, f"{ops}/docs", tokens["A"])
        for scheme in ["light", "dark"]:
            measure_contrast(context, f"{ops}/docs", scheme)
        context.close()


def try_page(context, url: str, api: str, token: str) -> None:
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
    # No proxy stands before this server, so its own address takes the place of the public one.
    answer = subprocess.run(["sh", "-c", curl.replace(PUBLIC_URL, api)], env={**os.environ, "LEADAPI_TOKEN": token}, capture_output=True, text=True)
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


def type_token(context, url: str, token: str) -> None:
    """The operation that is being read stays where it is while the token is typed."""
    page = context.new_page()
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    page.locator("#create_lead").evaluate("section => section.scrollIntoView()")
    before = page.evaluate("scrollY")
    top, bar = (page.locator(part).evaluate("part => part.getBoundingClientRect()") for part in ["#create_lead", ".bar"])
    assert before > 500 and top["top"] >= bar["bottom"], (before, top, bar)
    # A click of the mouse: Playwright's own way to a field scrolls by itself.
    box = page.locator("#token").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.keyboard.type(token)
    assert page.locator("#token").input_value() == token
    after = page.evaluate("scrollY")
    assert after == before, f"typing the token has scrolled the page from {before} to {after}"
    page.close()


CONTRASTS = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((of) => of / 255)
      .map((of) => (of <= 0.04045 ? of / 12.92 : ((of + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const isOpaque = (colour) => (channels(colour)[3] ?? 1) === 1;
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return isOpaque(colour) ? colour : behind(element.parentElement);
  };
  return [...document.querySelectorAll("input, select, textarea")].map((field) => {
    const name = `${field.closest("[id]").id} ${field.name || field.ariaLabel || field.id}`;
    const style = getComputedStyle(field);
    const border = Math.min(contrast(style.borderTopColor, behind(field)), contrast(style.borderTopColor, behind(field.parentElement)));
    const placeholder = field.placeholder ? contrast(getComputedStyle(field, "::placeholder").color, behind(field)) : null;
    return { name, border, placeholder };
  });
}"""


def measure_contrast(context, url: str, scheme: str) -> None:
    """WCAG 2.2, 1.4.11 and 1.4.3, which axe does not ask of borders and placeholders."""
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)
    page.goto(url)
    expect(page.locator(".operation")).to_have_count(7)
    fields = page.evaluate(CONTRASTS)
    borders = [field for field in fields if field["border"] < 3]
    placeholders = [field for field in fields if field["placeholder"] and field["placeholder"] < 4.5]
    assert len(fields) > 15 and any(field["placeholder"] for field in fields), fields
    assert not borders, f"{scheme}: borders below 3:1: {borders}"
    assert not placeholders, f"{scheme}: placeholders below 4.5:1: {placeholders}"
    least = min(field["border"] for field in fields), min(field["placeholder"] for field in fields if field["placeholder"])
    print(f"{scheme}: borders of {len(fields)} fields at least {least[0]:.2f}:1, placeholders at least {least[1]:.2f}:1")
    page.close()


def picture(page, name: str) -> None:
    directory = os.environ.get("LEADAPI_SCREENSHOTS")
    if directory:
        page.screenshot(path=Path(directory) / f"{name}.png")


main()
