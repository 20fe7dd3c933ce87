"""Tests the preview of forms in a real Chromium without scripts: a visitor walks through forms with the keyboard, and no
text of a form becomes markup or a style.

    python preview.py SERVER

LEADAPI_SCREENSHOTS=DIR saves screenshots there. Without Chromium, the script prints a notice and passes, or fails if
LEADAPI_REQUIRE_CHROMIUM=1.
"""

import json
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from chromium import chromium, contrasts, picture, resize
from demo import running
from playwright.sync_api import expect

SAMPLE = Path(__file__).resolve().parent.parent.parent / "leadapi-core" / "model" / "tests" / "data" / "form.json"
EVIL = '</style></textarea><script>document.title = "evil"</script><img src=x onerror=alert(1)>" onfocus="alert(1)'
LOOKS = [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")]


def main() -> None:
    with tempfile.TemporaryDirectory() as directory, chromium() as browser:
        file = Path(directory) / "form.json"
        file.write_text(SAMPLE.read_text())
        with running(sys.argv[1], "form", "preview", str(file)) as (url, _):
            walk_with_keyboard(new_page(browser, url), url)
            go_back(new_page(browser, url), url)
            explain_rules(new_page(browser, url), url)
            look_at_pages(browser, url)
            answer_every_type(browser, url, file)
            resist_hostile_texts(browser, url, file)
            show_broken_file(new_page(browser, url), url, file)
            refuse_other_hosts(url)
    print("the preview of forms works with the keyboard and without scripts, and no form can inject anything")


def new_page(browser, url: str):
    """Opens an empty page. The test fails if the page sends a request to another origin than the preview's."""
    page = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900}).new_page()
    page.on("request", lambda request: request.url.startswith(url) or sys.exit(f"the preview requests {request.url}"))
    return page


def title(page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def next_page(page) -> None:
    page.get_by_role("button", name="Next").click()


def path(page) -> list[str]:
    return [link.inner_text() for link in page.locator(".path > li > a").all()]


def walk_with_keyboard(page, url: str) -> None:
    """Answers with Tab, Space, arrow and Enter keys. Each page starts with the focus on its heading or on its errors."""
    press = page.keyboard.press
    page.goto(url)
    title(page, "Who is it for?")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator(".letter").first).to_have_text("A")

    # Leaves a required question without an answer.
    press("Tab")
    press("Tab")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_be_focused()
    expect(alert).to_contain_text("Who needs support at home? needs an answer")
    assert page.title().startswith("Error: "), page.title()
    group = page.get_by_role("radiogroup", name="Who needs support at home?")
    expect(group).to_have_attribute("aria-invalid", "true")
    expect(group).to_have_accessible_description("Needs an answer.")
    press("Tab")
    expect(alert.get_by_role("link")).to_be_focused()
    press("Enter")
    # The link leads to the first option of the question.
    expect(page.get_by_label("my mother")).to_be_focused()
    press("Space")
    press("ArrowDown")
    expect(page.get_by_label("my father")).to_be_checked()
    press("Enter")

    title(page, "A few details")
    press("Tab")
    expect(page.get_by_label("How old is my father?")).to_be_focused()
    page.keyboard.type("12,5")
    press("Enter")
    age = page.get_by_label("How old is my father?")
    expect(age).to_have_value("12,5")
    expect(age).to_have_attribute("aria-invalid", "true")
    expect(age).to_have_accessible_description("Must be a number without a comma.")
    age.fill("12")
    age.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("is below the minimum")
    age.fill("81")
    age.press("Enter")
    title(page, "What is needed?")
    page.get_by_label("Household").press("Space")
    press("Enter")
    page.get_by_label("How many hours").fill("12")
    press("Enter")
    page.get_by_label("postal code").fill("10115")
    press("Enter")
    page.get_by_label("What is your name?").fill("Zoë <b>Quist</b>")
    page.get_by_label("offer").fill("zoe")
    press("Enter")
    # The label contains the name that was entered on the same page.
    offer = page.get_by_label("Zoë <b>Quist</b>, where may we send the offer?")
    expect(offer).to_have_accessible_description("Must be an e-mail address.")
    lead = page.get_by_role("region", name="Lead")
    expect(lead).to_contain_text("No lead: the walk has not reached an ending.")
    offer.fill("zoe@example.org")
    press("Enter")

    title(page, "Thank you!")
    for text in ["zoe@example.org", "Zoë <b>Quist</b>", "Who needs support at home?: my father", "postal_code", "end_thanks"]:
        expect(lead).to_contain_text(text)
    expect(page.locator(".numbers")).to_contain_text("100 %")
    picture(page, "preview-end", full_page=True)
    # The URL contains the answers, so a reload keeps them.
    page.reload()
    title(page, "Thank you!")


def go_back(page, url: str) -> None:
    page.goto(url)
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    page.get_by_role("radio", name="me", exact=True).check()
    next_page(page)
    page.get_by_label("How old").fill("81")
    # Going back keeps the entered answers, and does not require valid ones.
    page.get_by_role("button", name="Back").click()
    title(page, "Who is it for?")
    expect(page.get_by_role("radio", name="me", exact=True)).to_be_checked()
    expect(page.locator(".numbers")).to_contain_text("Score0")
    page.get_by_label("my mother").check()
    next_page(page)
    expect(page.get_by_label("How old is my mother?")).to_have_value("81")
    expect(page.locator(".numbers")).to_contain_text("Score5")
    page.get_by_role("link", name="Who is it for?").click()
    title(page, "Who is it for?")


def explain_rules(page, url: str) -> None:
    """Checks the explanation of each rule on a path to the ending without a lead, and the link to the draft."""
    page.goto(url)
    page.get_by_role("radio", name="me", exact=True).check()
    next_page(page)
    page.get_by_label("How old").fill("81")
    page.get_by_role("radio", name="None yet").check()
    next_page(page)
    page.get_by_label("Live-in").check()
    next_page(page)
    title(page, "Live-in care")
    rules = page.locator(".path > li").nth(2)
    expect(rules).to_contain_text("Rule “Live-in care” matched: Live-in care")
    expect(rules).to_contain_text("What should we help me with? equals Live-in care around the clock")
    expect(rules.get_by_text("1 rule did not match")).to_be_visible()
    page.get_by_role("radio", name="No", exact=True).check()
    next_page(page)
    title(page, "We cannot help with this one")
    expect(page.get_by_role("region", name="Lead")).to_contain_text("No lead: the ending creates no lead.")
    # Each condition shows its result.
    conditions = page.locator(".path > li").nth(3).locator(".conditions > li")
    assert [condition.get_attribute("data-holds") for condition in conditions.all()] == ["✓", "✓", "✗"]
    picture(page, "preview-rules", full_page=True)
    page.get_by_role("link", name="Show the draft").click()
    expect(page.locator(".status")).to_contain_text("This is the draft.")


def look(page, name: str) -> None:
    for width, scheme in LOOKS:
        resize(page, width, scheme)
        violations = Axe().run(page).response["violations"]
        found = [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in violations]
        assert not found, f"{name}, {width}, {scheme}: {found}"
        contrasts(page)
        picture(page, f"preview-{name}-{scheme}-{width}", full_page=True)


def look_at_pages(browser, url: str) -> None:
    # Axe is a script, which the policy of the pages forbids.
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(url)
    look(page, "first")
    next_page(page)
    look(page, "errors")
    page.get_by_label("my mother").check()
    next_page(page)
    page.get_by_label("How old").fill("81")
    next_page(page)
    page.get_by_label("nursing home").check()
    next_page(page)
    title(page, "We cannot help with this one")
    look(page, "no-lead")
    page.context.close()


TYPES = ["single_choice", "multi_choice", "dropdown", "checkbox", "consent", "yes_no", "rating", "number", "date", "short_text",
         "long_text", "email", "phone", "url", "address", "file", "hidden", "of_tomorrow"]


def answer_every_type(browser, url: str, file: Path) -> None:
    options = [{"id": name, "label": name.upper(), "score": 1} for name in ["one", "two", "three"]]
    fields = [{"id": f"q_{name}", "type": name, "label": f"Label of {name}", "required": True,
               "mappedKey": "email" if name == "email" else f"k_{name}",
               "options": options if "choice" in name or name == "dropdown" else []} for name in TYPES]
    theme = {"bgColor": "#101820", "textColor": "#f2f2f2", "primaryColor": "hsl(45, 90%, 60%)", "buttonShape": "pill",
             "showChoiceLetters": False, "fontFamily": "Georgia, serif", "borderRadius": 0}
    form = {"name": "Every type", "client_id": "c1", "pages": [{"id": "p", "title": "Every type", "fields": fields}],
            "theme": theme, "settings": {"allowBack": False, "endings": [{"id": "e", "heading": "Done", "createsLead": True}]}}
    file.write_text(json.dumps({"form": form}))
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(url)
    look(page, "types")
    next_page(page)
    # A hidden question is never required.
    expect(page.locator(".problem")).to_have_count(len(TYPES) - 1)
    look(page, "types-errors")
    radio = page.get_by_role("radiogroup", name="Label of single_choice")
    radio.get_by_label("TWO").check()
    many = page.get_by_role("group", name="Label of multi_choice")
    many.get_by_label("ONE").check()
    many.get_by_label("THREE").check()
    page.get_by_label("Label of dropdown").select_option("TWO")
    page.get_by_label("Label of checkbox").check()
    page.get_by_label("Label of consent").check()
    page.get_by_role("radiogroup", name="Label of yes_no").get_by_label("No").check()
    page.get_by_role("radiogroup", name="Label of rating").get_by_label("4").check()
    for name, text in [("number", "7"), ("date", "2026-11-25"), ("short_text", "short"), ("long_text", "\nlong\ntext"),
                       ("email", "a@example.org"), ("phone", "+49 30 1234567"), ("url", "https://example.org/a"),
                       ("file", "https://example.org/plan.pdf"), ("hidden", "campaign"), ("of_tomorrow", "any")]:
        page.get_by_label(f"Label of {name}").fill(text)
    address = page.get_by_role("group", name="Label of address")
    address.get_by_label("Street").fill("Hauptstr. 5")
    address.get_by_label("City").fill("Berlin")
    next_page(page)
    title(page, "Done")
    lead = page.get_by_role("region", name="Lead")
    for text in ["ONE, THREE", "Label of yes_no: No", "Hauptstr. 5, Berlin", "long text", "https://example.org/plan.pdf",
                 "Label of rating: 4", "2026-11-25", "campaign"]:
        expect(lead).to_contain_text(text)
    expect(page.locator(".numbers")).to_contain_text("Score4")
    expect(page.get_by_role("button", name="Back")).to_have_count(0)
    look(page, "types-end")
    # The fields contain the answers again.
    page.get_by_role("link", name="Every type").click()
    expect(radio.get_by_label("TWO")).to_be_checked()
    expect(many.get_by_label("ONE")).to_be_checked()
    expect(many.get_by_label("TWO")).not_to_be_checked()
    expect(page.get_by_label("Label of dropdown")).to_have_value("two")
    expect(page.get_by_label("Label of consent")).to_be_checked()
    expect(page.get_by_label("Label of date")).to_have_value("2026-11-25")
    expect(page.get_by_label("Label of long_text")).to_have_value("\nlong\ntext")
    expect(address.get_by_label("City")).to_have_value("Berlin")
    look(page, "types-answered")
    page.context.close()


def resist_hostile_texts(browser, url: str, file: Path) -> None:
    evil = {key: EVIL for key in ["id", "title", "heading", "message", "name", "label", "type", "mappedKey", "fromPageId"]}
    theme = {key: f"{EVIL};}}body{{display:none" for key in
             ["bgColor", "textColor", "primaryColor", "bgGradientTo", "buttonGradientTo", "fontFamily", "buttonShape", "buttonTextAlign", "preset"]}
    options = [{"id": EVIL, "label": EVIL}, {"id": "o", "label": "\u202eevil\u202c {q}"}]
    form = {**evil, "client_id": EVIL, "theme": {**theme, "borderRadius": 1e9, "questionFontSize": -5, "bgGradientAngle": 10**15},
            "pages": [{**evil, "fields": [{**evil, "type": "single_choice", "options": options, "required": True},
                                           {**evil, "id": "q", "type": "long_text"}]}],
            "logic": {"rules": [{**evil, "groups": [{"conds": [{"fieldId": EVIL, "op": EVIL, "value": EVIL}]}]}]},
            "settings": {"redirectUrl": "javascript:alert(1)", "endings": [{**evil, "kind": "calendar", "calendarSlug": EVIL}]}}
    file.write_text(json.dumps({"client": {"company_name": EVIL, "logo_url": "https://evil.example/x.png"}, "form": form}))
    # Allows scripts, so that an injected script would run.
    page = browser.new_context(viewport={"width": 360, "height": 900}).new_page()
    messages = []
    page.on("request", lambda request: request.url.startswith(url) or sys.exit(f"the preview requests {request.url}"))
    page.on("console", lambda message: messages.append(message.text))
    page.on("dialog", lambda dialog: messages.append(dialog.message))
    page.goto(url)
    for step in range(2):
        title(page, EVIL)
        resize(page, 360, "light")
        assert page.locator("script, img[src=x], [onfocus], [onerror], style, [style]").count() == 0
        expect(page.locator("body")).to_be_visible()
        if step == 0:
            picture(page, "preview-hostile", full_page=True)
            page.get_by_role("radio").first.check()
            page.locator("textarea").fill(EVIL)
            next_page(page)
    expect(page.locator(".inspector")).to_contain_text("does not understand these values of the theme")
    policy = page.goto(url).headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy and "unsafe" not in policy, policy
    # The policy would block even an injected style.
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=x style=\"color:red\">x</p>')")
    assert page.locator("#x").evaluate("x => getComputedStyle(x).color") != "rgb(255, 0, 0)"
    [message] = messages
    assert "Content Security Policy" in message, messages
    page.context.close()


def show_broken_file(page, url: str, file: Path) -> None:
    file.write_text('{"form": {\n  "pages": [<b>]}}')
    page.goto(url)
    title(page, "The form cannot be read")
    expect(page.get_by_role("alert")).to_contain_text("is not a form record: expected value at line 2 column 13")
    expect(page.locator("mark")).to_contain_text('"pages": [<b>]}}')
    picture(page, "preview-broken")
    file.write_text(json.dumps({"form": {"name": "Repaired"}}))
    page.reload()
    title(page, "Repaired")
    expect(page.get_by_role("main")).to_contain_text("The form has no pages.")


def refuse_other_hosts(url: str) -> None:
    for method, host, expected in [("GET", "evil.example", 403), ("POST", "localhost", 405), ("HEAD", "localhost", 200)]:
        request = urllib.request.Request(url, method=method, headers={"Host": host})
        try:
            status = urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            status = error.code
        assert status == expected, (method, host, status)


main()
