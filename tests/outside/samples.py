"""Runs the samples of the API reference in curl, Rust, TypeScript and Python against a server.

    python samples.py SERVER RUST [PACKAGES]

RUST is the example program `docs_samples`. PACKAGES is the directory in which npm has installed package-lock.json;
without it, the samples in TypeScript are skipped.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
from demo import demo
from typescript import compile_sources

SAMPLES = Path(__file__).resolve().parent.parent.parent / "leadapi-server" / "pages" / "src" / "reference" / "samples"
GUIDES = ["authentication", "errors", "paging", "idempotency", "limits"]


def main() -> None:
    server, rust, *packages = sys.argv[1:]
    files = {path.name for path in SAMPLES.iterdir()}
    assert files == {f"{guide}.{language}" for guide in GUIDES for language in ["sh", "rs", "ts", "py"]}, files
    commands = {
        "curl": lambda guide: ["sh", SAMPLES / f"{guide}.sh"],
        "Rust": lambda guide: [rust, guide],
        "Python": lambda guide: [sys.executable, SAMPLES / f"{guide}.py"],
    }
    if packages:
        folder = Path(packages[0]).resolve()
        scripts = compile_sources(folder / "samples", folder, sorted(SAMPLES.glob("*.ts")))
        commands["TypeScript"] = lambda guide: ["node", scripts / f"{guide}.js"]
    with demo(server) as (url, _, tokens):
        api = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {tokens['A']}"})
        for language, command in commands.items():
            check(language, command, url, api, tokens["A"])
    print(f"{len(GUIDES)} samples work in {', '.join(commands)}")


def check(language: str, command, url: str, api: httpx.Client, token: str) -> None:
    def run(guide: str, base: str = url) -> str:
        environment = {**os.environ, "LEADAPI_URL": base, "LEADAPI_TOKEN": token}
        done = subprocess.run(command(guide), env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (language, guide, done)
        return done.stdout

    def total() -> int:
        return api.get("/leads", params={"limit": 1}).json()["total"]

    assert "Lumière Dental Studio" in run("authentication"), language
    assert "id: no such lead" in run("errors"), language
    # The curl sample prints the second page. The other samples count the leads on both pages.
    expected = f'"total":{total()},"limit":20,"offset":20' if language == "curl" else f"{total()} leads"
    assert total() > 20 and expected in run("paging"), language

    # The response to the first request is lost. All samples use the same key, so only the first of them creates a lead.
    before = total()
    with unreliable(url, api, lose=True) as (base, requests):
        created = run("idempotency", base)
    assert requests == ["POST /leads"] * 2, (language, requests)
    lead = api.get("/leads", params={"limit": 1}).json()["data"][0]
    assert lead["id"] in created and lead["name"] == "Ada Lovelace", (language, created)
    assert total() == before + (1 if language == "curl" else 0), language

    # The first request is answered with 429.
    with unreliable(url, api, lose=False) as (base, requests):
        assert str(total()) in run("limits", base), language
    assert len(requests) == 2 and all(request.startswith("GET /leads?limit=1") for request in requests), (language, requests)


@contextmanager
def unreliable(url: str, api: httpx.Client, lose: bool):
    """Starts a proxy. It loses the response to the first request, or answers the first request with 429."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def handle_request(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            is_first = not requests
            path = self.path.removeprefix("/v1")
            requests.append(f"{self.command} {path}")
            if is_first and not lose:
                return self.respond(429, {"Retry-After": "1"}, b'{"error": "rate limit reached, try again in 1 s"}')
            names = ["Authorization", "Content-Type", "Idempotency-Key"]
            headers = {name: self.headers[name] for name in names if name in self.headers}
            response = api.request(self.command, path, content=body, headers=headers)
            if is_first:
                # The connection closes without a response.
                self.close_connection = True
                return None
            return self.respond(response.status_code, {}, response.content)

        do_GET = do_POST = handle_request

        def respond(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{proxy.server_port}/v1", requests
        proxy.shutdown()


main()
