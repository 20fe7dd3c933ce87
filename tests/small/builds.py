"""What is built: how many crates, for how long, and how large the server is."""

import json
import os
import resource
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]


def cargo(*arguments, folder=ROOT, **environment) -> str:
    command = ["cargo", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=os.environ | environment, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def crates():
    """That there are no more of them is held by tests/tests/contract/published_crates.rs."""
    for package, features, allowed in [
        ("leadapi-core", "", 40),
        ("leadapi-client", "", 95),
        ("leadapi-client", "--no-default-features", 40),
        ("leadapi-server", "", None),
    ]:
        tree = cargo("tree", "--locked", "-p", package, "-e", "normal", "--prefix", "none", *features.split())
        # After a blank and a bracket, a line says where the crate is from, or that it has been shown before.
        names = {line.split(" (")[0] for line in tree.splitlines() if line}
        # The first is the package itself.
        yield f"crates that {package} {features} stands on", len(names) - 1, allowed, ""


def builds():
    """Each is the one dependency of an empty package and built from nothing, with cargo's own settings."""
    # Features as the client takes them.
    reqwest = '{ version = "*", default-features = false, features = ["rustls"] }'
    for name, dependency in [
        ("leadapi-core", f'{{ path = "{ROOT}/leadapi-core" }}'),
        ("axum", '"*"'),
        ("leadapi-client", f'{{ path = "{ROOT}/leadapi-client" }}'),
        ("reqwest", reqwest),
    ]:
        with TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "src").mkdir()
            (folder / "src/lib.rs").touch()
            (folder / "Cargo.toml").write_text(
                f'[package]\nname = "cold"\nedition = "2024"\n[dependencies]\n{name} = {dependency}\n[workspace]\n')
            # The same versions for all.
            shutil.copy(ROOT / "Cargo.lock", folder)
            cargo("fetch", "--quiet", folder=folder)
            start, used = time.monotonic(), cpu()
            cargo("build", "--quiet", "--offline", folder=folder, CARGO_TARGET_DIR=str(folder / "target"))
            yield f"cold build of {name}, by the clock", time.monotonic() - start, None, "s"
            yield f"cold build of {name}, of processors", cpu() - used, None, "s"


def cpu() -> float:
    """Seconds of processor that the processes started from here have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def binary() -> tuple[str, int]:
    """The server as it is shipped, and its bytes."""
    made = cargo("build", "--quiet", "--profile", "dist", "-p", "leadapi-server", "--bin", "leadapi-server",
                 "--message-format=json")
    path = [one["executable"] for one in map(json.loads, made.splitlines()) if one.get("executable")][-1]
    return path, os.path.getsize(path)
