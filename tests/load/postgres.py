"""Runs a private PostgreSQL server, and measures the CPU time of its processes."""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from servers import cpu

# With these settings, all data fits into memory, and PostgreSQL counts the statements. It syncs every commit to disk.
SETTINGS = ["shared_buffers=1GB", "max_wal_size=4GB", "shared_preload_libraries=pg_stat_statements", "listen_addresses=127.0.0.1"]
# PostgreSQL refuses to run as root.
USER = "postgres" if os.geteuid() == 0 else None


@dataclass
class Postgres:
    programs: Path
    port: int
    pid: int

    def url(self, database: str) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    def query(self, sql: str, database: str = "postgres") -> list[str]:
        """Returns the first row of the result."""
        command = [self.programs / "psql", "-XAtF", "\t", "-v", "ON_ERROR_STOP=1", self.url(database), "-c", sql]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip("\n").split("\t")

    def cpu(self) -> float:
        """Returns the CPU time that all processes have used so far, in seconds."""
        return cpu_of(self.pid)


def cpu_of(postmaster: int) -> float:
    """Returns the CPU time that a postmaster and all its processes have used so far, in seconds."""
    total = 0.0
    for child in Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split():
        # The parent's time includes children that have exited, so the parent is read last.
        with suppress(FileNotFoundError, ProcessLookupError):
            total += cpu(int(child))[0]
    return total + sum(cpu(postmaster))


@contextmanager
def postgres(*more: str):
    """Starts a server with these additional settings."""
    programs = find()
    with TemporaryDirectory(prefix="leadapi-postgres-") as name:
        folder = Path(name)
        if USER:
            shutil.chown(folder, USER)
        run = {"cwd": "/", "user": USER, "group": USER, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        initialize = [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run(initialize, check=True, **run)
        port = free_port()
        settings = [f"port={port}", f"unix_socket_directories={folder}", *SETTINGS, *more]
        command = [programs / "postgres", "-D", folder / "data", *(part for setting in settings for part in ("-c", setting))]
        process = subprocess.Popen(command, **run)
        try:
            server = Postgres(programs, port, process.pid)
            wait(server, process)
            server.query("CREATE EXTENSION pg_stat_statements")
            yield server
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def find() -> Path:
    """Returns the directory of PostgreSQL's programs: from PATH, or else Debian's newest version."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not installed:
        raise SystemExit("PostgreSQL is not installed")
    return installed[-1].parent


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait(server: Postgres, process: subprocess.Popen) -> None:
    deadline = monotonic() + 30
    while monotonic() < deadline and process.poll() is None:
        if subprocess.run([server.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(server.port)]).returncode == 0:
            return
        sleep(0.05)
    raise SystemExit("PostgreSQL has not started")
