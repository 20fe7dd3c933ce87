"""Runs schemathesis against a server and its OpenAPI document. Passes all other arguments on to schemathesis.

    python fuzz.py SERVER --max-time 100
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from demo import demo

HERE = Path(__file__).resolve().parent
OPENAPI = HERE.parent.parent / "leadapi-core" / "openapi.json"


def main() -> None:
    binary, *arguments = sys.argv[1:]
    with demo(binary) as (url, _, tokens), tempfile.TemporaryDirectory() as directory:
        auth = Path(directory) / "auth.json"
        bearer = lambda token: [{"name": "Authorization", "value": f"Bearer {token}"}]
        auth.write_text(json.dumps({"auth": [{"name": name, "fixedHeaders": bearer(token)} for name, token in tokens.items()]}))
        schemathesis = Path(sys.executable).parent / "schemathesis"
        environment = {**os.environ, "LEADAPI_AUTH": str(auth), "LEADAPI_OUTSIDE": str(HERE)}
        command = [schemathesis, "--config-file", HERE / "schemathesis.toml", "run", OPENAPI, "--url", url, *arguments]
        outcome = subprocess.run(command, env=environment, cwd=directory)
    sys.exit(outcome.returncode)


main()
