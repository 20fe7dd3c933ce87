"""Measures the number of dependencies, the time of cold builds, and the size of the server binary."""

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
    """Counts the dependencies. tests/tests/contract/published_crates.rs enforces the same limits."""
    for package, features, allowed in [
        ("leadapi-core", "", 40),
        ("leadapi-client", "", 95),
        ("leadapi-client", "--no-default-features", 40),
        ("leadapi", "", None),
    ]:
        tree = cargo("tree", "--locked", "-p", package, "-e", "normal", "--prefix", "none", *features.split())
        # The text after " (" is the crate's source, or marks a crate that was listed before.
        names = {line.split(" (")[0] for line in tree.splitlines() if line}
        # The tree includes the package itself, which does not count.
        yield f"dependencies of {package} {features}", len(names) - 1, allowed, ""


def builds():
    """Builds each crate from scratch as the only dependency of an empty package, with cargo's default settings."""
    # The features that the client uses.
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
            # All builds use the same versions.
            shutil.copy(ROOT / "Cargo.lock", folder)
            cargo("fetch", "--quiet", folder=folder)
            start, used = time.monotonic(), cpu()
            cargo("build", "--quiet", "--offline", folder=folder, CARGO_TARGET_DIR=str(folder / "target"))
            yield f"cold build of {name}, elapsed time", time.monotonic() - start, None, "s"
            yield f"cold build of {name}, CPU time", cpu() - used, None, "s"


def cpu() -> float:
    """Returns the CPU time of all child processes, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def binary() -> tuple[str, int]:
    """Builds the server as shipped, and returns the binary's path and its size in bytes."""
    made = cargo("build", "--quiet", "--profile", "dist", "-p", "leadapi", "--bin", "leadapi",
                 "--message-format=json")
    path = [one["executable"] for one in map(json.loads, made.splitlines()) if one.get("executable")][-1]
    return path, os.path.getsize(path)
