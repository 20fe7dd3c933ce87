"""A server with the API settings for one test, a proxy in front of it, and a page on another site."""

import json
import re
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from demo import running

SAMPLE = Path(__file__).resolve().parent.parent.parent / "leadapi-core" / "data" / "sample.json"

BUSINESS, OTHER_BUSINESS = "019bb16e-fe80-71bd-97d4-34affe250f1f", "019c672e-1800-70f7-b69d-80b43bb17e12"
OWNER, ADMIN, MEMBER = "owner@harbour.example", "admin@harbour.example", "member@harbour.example"


class Site:
    """The API settings on a server with the sample data in SQLite."""

    def __init__(self, binary: str, store: str, api: str, address: str) -> None:
        self.binary, self.store, self.api, self.url = binary, store, api, f"http://{address}"

    def path(self, *segments: str, business: str = BUSINESS) -> str:
        return "/".join([self.url, "b", business, *segments])

    def command(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *arguments, "--store", self.store], capture_output=True, text=True)

    def read(self, *arguments: str):
        done = self.command(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def link(self, email: str) -> str:
        return self.read("login-link", "--business", BUSINESS, "--as", email, "--admin-url", self.url)["link"]

    def tokens(self) -> dict[str, dict]:
        """Returns the tokens that the command line lists for the business, keyed by id."""
        listed = self.read("token", "list", "--business", BUSINESS, "--as", OWNER)
        return {token["id"]: token for token in listed}

    def newest(self) -> dict:
        return list(self.tokens().values())[-1]

    def log(self) -> list[dict]:
        return self.read("audit", "list", "--business", BUSINESS, "--as", OWNER)


@contextmanager
def site(binary: str, directory: str, *arguments: str):
    store = f"sqlite:{directory}/leads.db"
    subprocess.run([binary, "data", "import", SAMPLE, "--store", store], check=True, capture_output=True)
    with running(binary, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s",
                 "--store", store, *arguments) as (api, printed):
        line = next(line for line in printed if line.startswith("API settings: "))
        yield Site(binary, store, api, re.split("[/ ]", line.strip())[-1])


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *connection) -> None:
        # A browser may close a connection before it has read the response.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*connection)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None):
    """Serves HTTP on a free port of this machine; yields the port."""
    server = Server(("127.0.0.1", 0), handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


class Quiet(BaseHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@contextmanager
def foreign(markup: dict[str, str]):
    """Serves pages as another site; yields the port."""

    class Foreign(Quiet):
        def do_GET(self) -> None:
            body = markup.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

    with serving(Foreign) as port:
        yield port


@contextmanager
def proxy(upstream: str, person: str, directory: str):
    """Runs a proxy that terminates TLS and has verified a person; yields its URL."""
    host = upstream.removeprefix("http://")

    class Proxy(Quiet):
        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() != "x-forwarded-email"}
            connection = HTTPConnection(host)
            connection.request(self.command, self.path, body, {**headers, "X-Forwarded-Email": person})
            response = connection.getresponse()
            body = response.read()
            self.send_response_only(response.status)
            for name, value in response.getheaders():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            connection.close()

        do_GET = do_POST = forward

    key, certificate = Path(directory) / "key.pem", Path(directory) / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with serving(Proxy, tls) as port:
        yield f"https://localhost:{port}"
