"""Checks the packaged files against the schemas of Kubernetes and Compose, and with promtool.

    python packaging.py

Without promtool, the checks that need it are skipped, or fail if LEADAPI_REQUIRE_PROMTOOL=1.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import compose_spec
import yaml

PACKAGING = Path(__file__).resolve().parent.parent.parent / "leadapi-server" / "cli" / "packaging"
# The oldest version that has every field of the manifests, and the newest version that the schemas cover.
KUBERNETES = ["1.27", "1.37"]


def main() -> None:
    kubernetes(PACKAGING / "kubernetes")
    shutdown(PACKAGING / "kubernetes")
    kubernetes(PACKAGING / "citus" / "kubernetes")
    for folder in (PACKAGING, PACKAGING / "citus"):
        # compose_spec does not resolve merge keys.
        resolved = yaml.safe_dump(yaml.safe_load((folder / "compose.yaml").read_text()))
        compose_spec.PyCompose.from_yaml(resolved).validate()
    if shutil.which("promtool"):
        prometheus(PACKAGING / "prometheus")
    else:
        assert os.environ.get("LEADAPI_REQUIRE_PROMTOOL") != "1", "promtool is not installed"
        print("SKIPPED: promtool is not installed, so the alert rules are not checked")
    print("the packaged files are valid")


def kubernetes(folder: Path) -> None:
    validate = Path(sys.executable).parent / "kubernetes-validate"
    manifests = sorted(file for file in folder.glob("*.yaml") if file.name != "kustomization.yaml")
    for version in KUBERNETES:
        run(validate, "--strict", "--quiet", "--kubernetes-version", version, *manifests)
    # Every manifest is applied except the example Secret.
    applied = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    assert sorted([*applied, "secret.example.yaml"]) == [file.name for file in manifests], applied


def shutdown(folder: Path) -> None:
    deployment = yaml.safe_load((folder / "deployment.yaml").read_text())["spec"]["template"]["spec"]
    lines = (line.split("=", 1) for line in (folder / "settings.env").read_text().splitlines() if not line.startswith("#"))
    settings = dict(lines)
    drain, stop = (int(settings[name].removesuffix("s")) for name in ("LEADAPI_DRAIN_DELAY", "LEADAPI_STOP_TIMEOUT"))
    assert drain + 15 < stop < deployment["terminationGracePeriodSeconds"], "a shutdown is forced too early"


def prometheus(folder: Path) -> None:
    run("promtool", "check", "rules", folder / "alerts.yaml")
    run("promtool", "test", "rules", folder / "alerts.test.yaml")
    run("promtool", "check", "config", folder / "prometheus.yaml", folder / "kubernetes.yaml")
    # promtool cannot read dashboards, so it checks their expressions as rules.
    dashboard = json.loads((PACKAGING / "grafana" / "leadapi.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    rules = [{"record": f"panel:{nth}", "expr": query.replace("$__rate_interval", "1m")} for nth, query in enumerate(queries)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        run("promtool", "check", "rules", file.name)


def run(*command) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


main()
