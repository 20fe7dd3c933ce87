"""Validates the SARIF logs of form checks against the JSON schema of SARIF 2.1.0.

    python sarif.py SERVER PACKAGES

PACKAGES is the folder in which npm has installed package-lock.json, which includes the schema.
"""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema

SAMPLE = Path(__file__).resolve().parent.parent.parent / "leadapi-core" / "model" / "tests" / "data" / "form.json"


def main() -> None:
    schemas = Path(sys.argv[2]) / "node_modules" / "@microsoft" / "jest-sarif" / "lib" / "schemas"
    schema = json.loads((schemas / "sarif-2.1.0-rtm.5.json").read_text())
    validator = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    sample = SAMPLE.read_text()
    # The second form has errors, and the third has findings that depend on answers.
    texts = [sample, sample.replace("end:end_thanks", "end:nowhere"), sample.replace('"required": true', '"required": false')]
    counts = []
    for text in texts:
        checked = subprocess.run([sys.argv[1], "form", "check", "--sarif", "-"], input=text, capture_output=True, text=True)
        log = json.loads(checked.stdout)
        validator.validate(log)
        counts.append(len(log["runs"][0]["results"]))
    assert 0 < counts[0] < min(counts[1:]), counts
    print("the SARIF logs are valid")


if __name__ == "__main__":
    main()
