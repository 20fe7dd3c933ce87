"""Runs a server with the sample data and practically no rate limits, for one test."""

import os
import re
import subprocess
from contextlib import contextmanager

MANY = "4000000000"


@contextmanager
def demo(binary: str, *arguments: str):
    """Starts the server. Yields its base URL, the URL of its operator's listener, and a token for each business."""
    command = [binary, "demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0s",
               "--reads-per-minute", MANY, "--writes-per-minute", MANY, *arguments]
    environment = {**os.environ, "LEADAPI_LOG": "error"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        tokens = {}
        for line in server.stdout:
            if token := re.match(r"  (pak_\w+)  (A|B) read\+write ", line):
                tokens[token[2]] = token[1]
            if operator := re.match(r"operator endpoints: (\S+)/healthz", line):
                ops = operator[1]
            if listens := re.search(r"listens at (\S+)", line):
                break
        else:
            raise SystemExit("the server exited before it listened")
        yield listens[1], ops, tokens
        if server.poll() is not None:
            raise SystemExit(f"the server exited with {server.returncode}")
    finally:
        server.terminate()
        server.wait(60)
