"""Generates TypeScript types with openapi-typescript, and calls all seven operations with openapi-fetch.

    python typescript.py SERVER PACKAGES

PACKAGES is the directory in which npm has installed package-lock.json.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from demo import demo

HERE = Path(__file__).resolve().parent
OPENAPI = HERE.parent.parent / "leadapi-core" / "openapi.json"


def main() -> None:
    packages = Path(sys.argv[2]).resolve()
    sources = compile_sources(packages / "client", packages, [HERE / "client.ts"])
    with demo(sys.argv[1]) as (url, _, tokens):
        environment = {**os.environ, "LEADAPI_URL": url, "LEADAPI_TOKEN": tokens["A"]}
        subprocess.run(["node", sources / "client.js"], env=environment, check=True)
    print("openapi-fetch did the seven operations")


def compile_sources(folder: Path, packages: Path, sources: list[Path]) -> Path:
    """Copies the sources next to the installed packages, generates the types, and compiles everything."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for source in sources:
        shutil.copy(source, folder)
    programs = packages / "node_modules" / ".bin"
    subprocess.run([programs / "openapi-typescript", OPENAPI, "--output", folder / "openapi.ts"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([programs / "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node",
                    *sorted(folder.glob("*.ts"))], check=True, cwd=packages)
    return folder


if __name__ == "__main__":
    main()
