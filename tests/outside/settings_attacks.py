"""Checks that the API settings refuse other sites, strangers, and people of other businesses."""

from playwright.sync_api import expect
from site_fixture import ADMIN, BUSINESS, MEMBER, OTHER_BUSINESS, OWNER, Site, foreign


def refuse_other_sites(page, settings: Site) -> None:
    """Another site cannot submit a form, not even with a valid form token, nor show the pages in a frame."""
    page.goto(settings.path("tokens", "new"))
    fields = {"name": "forged", "scope": "read", "expires": "never",
              "form_token": page.locator("form.sheet input[name=form_token]").input_value()}
    page.goto(settings.path("sessions"))
    out = {"form_token": page.locator(".who input[name=form_token]").input_value()}
    link = {"secret": settings.link(ADMIN).rsplit("/", 1)[1]}

    def form(action: str, fields: dict) -> str:
        inputs = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in fields.items())
        return f'<form method="post" action="{action}">{inputs}<button>Go</button></form>'

    markup = {"/create": form(settings.path("tokens"), fields), "/sign-out": form(settings.path("sign-out"), out),
              "/sign-in": form(f"{settings.url}/sign-in", link), "/frame": f'<iframe src="{settings.path("tokens")}"></iframe>'}
    before = settings.tokens(), settings.log()
    with foreign(markup) as port:
        # Another port is the same site, so the browser sends the cookie. Another host is another site.
        for host in ["127.0.0.1", "localhost"]:
            for form in ["/create", "/sign-out", "/sign-in"]:
                page.goto(f"http://{host}:{port}{form}")
                with page.expect_response(lambda response: response.request.method == "POST") as sent:
                    page.get_by_role("button", name="Go").click()
                assert sent.value.status == 403, (host, form, sent.value.status)
                assert ("cookie" in sent.value.request.all_headers()) == (host == "127.0.0.1"), (host, form)
            with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
                page.goto(f"http://{host}:{port}/frame")
    assert before == (settings.tokens(), settings.log())
    page.goto(settings.path("tokens"))
    expect(page.locator(".who")).to_contain_text(OWNER)


def refuse_strangers(browser, page, settings: Site) -> None:
    token = settings.newest()["id"]
    stranger = browser.new_context(java_script_enabled=False).new_page()
    for segments in [["tokens"], ["tokens", "new"], ["tokens", token, "revoke"], ["audit"], ["audit.json"], ["sessions"]]:
        for who, business, expected in [(stranger, BUSINESS, 403), (stranger, OTHER_BUSINESS, 403), (stranger, "none", 403),
                                        (page, OTHER_BUSINESS, 404), (page, "none", 404), (page, BUSINESS, 200)]:
            response = who.goto(settings.path(*segments, business=business))
            assert response.status == expected, (segments, business, response.status)
            headers = response.headers
            assert headers["cache-control"] == "no-store" and headers["x-frame-options"] == "DENY", headers
            assert headers["content-security-policy"].startswith("default-src 'none'; "), headers
    assert stranger.goto(settings.url).status == 403
    assert stranger.goto(f"{settings.url}/nothing").status == 404
    refused = settings.command("login-link", "--business", BUSINESS, "--as", MEMBER)
    assert refused.returncode != 0 and "only an owner or an admin" in refused.stderr, refused
    stranger.context.close()
