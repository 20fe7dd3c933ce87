"""Checks the packaged files against the schemas of Kubernetes and Compose, and with Helm and promtool.

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
PROGRAMS = Path(sys.executable).parent
OF_A_RELEASE = [
    "app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart",
    "checksum/settings",
]


def main() -> None:
    kubernetes(PACKAGING / "kubernetes")
    shutdown(PACKAGING / "kubernetes")
    kubernetes(PACKAGING / "citus" / "kubernetes")
    chart(PACKAGING / "helm", PACKAGING / "kubernetes")
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
    manifests = sorted(file for file in folder.glob("*.yaml") if file.name != "kustomization.yaml")
    validate(*manifests)
    # Every manifest is applied except the example Secret.
    applied = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    assert sorted([*applied, "secret.example.yaml"]) == [file.name for file in manifests], applied


def validate(*manifests: Path) -> None:
    for version in KUBERNETES:
        run(PROGRAMS / "kubernetes-validate", "--strict", "--quiet", "--kubernetes-version", version, *manifests)


def chart(folder: Path, manifests: Path) -> None:
    """Checks that the chart makes the same resources as the manifests by default, and valid ones with every option."""
    run(PROGRAMS / "helm", "lint", "--strict", folder)
    expected = [
        document for file in manifests.glob("*.yaml") if file.name not in ("kustomization.yaml", "secret.example.yaml")
        for document in yaml.safe_load_all(file.read_text())
    ]
    expected.append({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "leadapi-settings"}, "data": settings(manifests)
    })
    image = yaml.safe_load((manifests / "kustomization.yaml").read_text())["images"][0]
    made = [without_release(document) for document in rendered(folder)]
    for document in expected:
        if document["kind"] == "Deployment":
            document["spec"]["template"]["spec"]["containers"][0]["image"] = f"{image['newName']}:{image['newTag']}"
        document = without_release(document)
        assert document in made, f"the chart does not make this resource: {document}"
    assert len(made) == len(expected), made
    options = [
        "ingress.enabled=true", "ingress.className=nginx", "ingress.annotations.a=b", "podMonitor.enabled=true",
        "podMonitor.labels.release=prometheus", "imagePullSecrets={registry}", "image.tag=next",
    ]
    everything = rendered(folder, *options)
    monitor = next(document for document in everything if document["kind"] == "PodMonitor")
    assert monitor["metadata"]["labels"]["release"] == "prometheus", monitor
    # The schemas do not contain the kinds of the Prometheus operator.
    known = [document for document in everything if document is not monitor]
    assert {document["kind"] for document in known} >= {"Ingress", "Deployment", "NetworkPolicy"}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump_all(known, file)
        file.flush()
        validate(file.name)


def rendered(chart: Path, *options: str) -> list[dict]:
    given = [word for option in options for word in ("--set", option)]
    return list(yaml.safe_load_all(run(PROGRAMS / "helm", "template", "leadapi", chart, *given)))


def without_release(value):
    """Removes what only a chart has: the labels of the release, and the checksum of the settings."""
    if isinstance(value, list):
        return [without_release(each) for each in value]
    if not isinstance(value, dict):
        return value
    pairs = {key: without_release(each) for key, each in value.items() if key not in OF_A_RELEASE}
    return {key: each for key, each in pairs.items() if key not in ("annotations", "labels") or not is_of_a_release(each)}


def is_of_a_release(labels: dict) -> bool:
    return labels in ({}, {"app.kubernetes.io/name": "leadapi"})


def settings(folder: Path) -> dict[str, str]:
    lines = (folder / "settings.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def shutdown(folder: Path) -> None:
    deployment = yaml.safe_load((folder / "deployment.yaml").read_text())["spec"]["template"]["spec"]
    times = settings(folder)
    drain, stop = (int(times[name].removesuffix("s")) for name in ("LEADAPI_DRAIN_DELAY", "LEADAPI_STOP_TIMEOUT"))
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


def run(*command) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


main()
