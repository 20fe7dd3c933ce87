"""Runs a server for one test."""

import os
import re
import subprocess
from contextlib import contextmanager

MANY = "4000000000"


@contextmanager
def running(*command: str):
    """Starts the server. Yields its base URL and the lines that it printed before it listened."""
    environment = {**os.environ, "LEADAPI_LOG": "error"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        printed = []
        for line in server.stdout:
            printed.append(line)
            if listens := re.search(r"listens at (\S+)", line):
                break
        else:
            raise SystemExit("the server exited before it listened")
        yield listens[1], printed
        if server.poll() is not None:
            raise SystemExit(f"the server exited with {server.returncode}")
    finally:
        server.terminate()
        server.wait(60)


@contextmanager
def demo(binary: str, *arguments: str):
    """Starts a server with the sample data and practically no rate limits.

    Yields its base URL, the operator listener's URL, and the tokens of its two businesses.
    """
    with running(binary, "demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0s",
                 "--reads-per-minute", MANY, "--writes-per-minute", MANY, *arguments) as (url, printed):
        tokens = {}
        for line in printed:
            if token := re.match(r"  (pak_\w+)  (A|B) read\+write ", line):
                tokens[token[2]] = token[1]
            if operator := re.match(r"operator endpoints: (\S+)/healthz", line):
                ops = operator[1]
        yield url, ops, tokens
