"""Runs Citus clusters whose groups are Patroni clusters: etcd, a coordinator and workers, each with one standby."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import Request, urlopen

import postgres

DATABASE = "leadapi"
ROLE = "leadapi"
# Protects only a private cluster on this machine, and shows that the nodes can connect to each other with passwords.
PASSWORD = "rehearsal"
PACKAGED = Path(__file__).resolve().parents[2] / "leadapi-server/cli/packaging/citus/patroni.yaml"


@dataclass
class Node:
    group: int
    name: str
    port: int
    rest: int
    folder: Path
    process: subprocess.Popen | None = None

    def state(self, path: str = "cluster") -> dict:
        try:
            with urlopen(f"http://127.0.0.1:{self.rest}/{path}", timeout=2) as response:
                return json.load(response)
        except (URLError, OSError, ValueError):
            return {}

    def postmaster(self) -> int:
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def processes(self) -> list[int]:
        """Returns the ids of Patroni's process, of the postmaster, and of its children."""
        found = [self.process.pid]
        with suppress(OSError, ValueError):
            found.append(self.postmaster())
            found += map(int, Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text().split())
        return found

    def signal(self, number: int) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def kill(self) -> None:
        # Stopped processes start no others, so none of them is missed.
        self.signal(signal.SIGSTOP)
        self.signal(signal.SIGKILL)
        self.process.wait()


@dataclass
class Cluster:
    folder: Path
    etcd: int
    workers: int
    nodes: list[Node] = field(default_factory=list)

    def group(self, group: int) -> list[Node]:
        return [node for node in self.nodes if node.group == group]

    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{node.port}" for node in self.group(0))
        return f"postgres://{ROLE}:{PASSWORD}@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def leader(self, group: int) -> Node | None:
        """Returns the node that runs as the primary of a group."""
        for node in self.group(group):
            if node.state("patroni").get("role") == "primary":
                return node
        return None

    def is_healthy(self, group: int) -> bool:
        members = self.group(group)[0].state().get("members", [])
        wanted = sorted([("leader", "running"), ("sync_standby", "streaming")])
        return sorted((member["role"], member.get("state")) for member in members) == wanted

    def wait_until_healthy(self) -> None:
        wait_until(lambda: all(self.is_healthy(group) for group in range(self.workers + 1)), "a healthy cluster")
        wait_until(lambda: self.query("SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary'") == [[str(self.workers + 1)]],
                   "all groups in pg_dist_node")

    def query(self, sql: str) -> list[list[str]]:
        """Runs a statement on the coordinator."""
        leader = self.leader(0)
        return query(leader.port, DATABASE, sql) if leader else []

    def start(self, node: Node) -> None:
        address = f"127.0.0.1:{node.port}"
        settings = node.folder / "patroni.yaml"
        # `postgresql` is the last section of the packaged file.
        settings.write_text(f"{PACKAGED.read_text()}  parameters:\n    unix_socket_directories: {node.folder}\n"
            "    shared_buffers: 256MB\n    max_wal_size: 4GB\n")
        environment = {
            "PATRONI_NAME": node.name,
            "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{self.etcd}",
            "PATRONI_CITUS_DATABASE": DATABASE,
            "PATRONI_CITUS_GROUP": str(node.group),
            "PATRONI_SUPERUSER_USERNAME": "postgres",
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
            "PATRONI_REPLICATION_USERNAME": "replicator",
            "PATRONI_REPLICATION_PASSWORD": PASSWORD,
            "PATRONI_POSTGRESQL_BIN_DIR": str(postgres.find()),
            "PATRONI_POSTGRESQL_DATA_DIR": str(node.folder / "data"),
            "PATRONI_POSTGRESQL_PGPASS": str(node.folder / "pgpass"),
            "PATRONI_POSTGRESQL_LISTEN": address,
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": address,
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{node.rest}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{node.rest}",
        }
        node.process = spawn([patroni(), str(settings)], node.folder, environment)

    def create_role(self) -> None:
        """Creates the role of the servers as the guide describes."""
        self.query(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{PASSWORD}'")
        self.query(f"GRANT pg_read_all_settings TO {ROLE}")
        for statement in [f"ALTER DATABASE {DATABASE} OWNER TO {ROLE}",
                          f"INSERT INTO pg_dist_authinfo VALUES (0, '{ROLE}', 'password={PASSWORD}')"]:
            self.query(f"SELECT result FROM run_command_on_all_nodes($${statement}$$)")

    def switchover(self, group: int) -> None:
        node = self.leader(group)
        body = json.dumps({"leader": node.name}).encode()
        with urlopen(Request(f"http://127.0.0.1:{node.rest}/switchover", data=body), timeout=120) as response:
            response.read()


@contextmanager
def cluster(workers: int):
    folder = Path(mkdtemp(prefix="leadapi-citus-"))
    own(folder)
    etcd = postgres.free_port()
    made = Cluster(folder, etcd, workers)
    processes = []
    try:
        peer = f"http://127.0.0.1:{postgres.free_port()}"
        client = f"http://127.0.0.1:{etcd}"
        own(folder / "etcd")
        processes.append(spawn(["etcd", "--name", "etcd", "--data-dir", str(folder / "etcd/data"), "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"etcd={peer}"], folder / "etcd"))
        for group in range(workers + 1):
            for nth in range(2):
                name = f"{'coordinator' if group == 0 else f'worker{group}'}-{nth}"
                own(folder / name)
                made.nodes.append(Node(group, name, postgres.free_port(), postgres.free_port(), folder / name))
                made.start(made.nodes[-1])
        made.wait_until_healthy()
        made.create_role()
        yield made
    finally:
        for node in made.nodes:
            if node.process.poll() is None:
                node.kill()
        for process in processes:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def query(port: int, database: str, sql: str) -> list[list[str]]:
    command = [postgres.find() / "psql", "-XAtF", "\t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(port),
        "-U", "postgres", "-d", database, "-c", sql]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PGPASSWORD": PASSWORD})
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [line.split("\t") for line in done.stdout.splitlines()]


def wait_until(condition, what: str, seconds: float = 180) -> None:
    deadline = monotonic() + seconds
    while True:
        with suppress(RuntimeError):
            if condition():
                return
        if monotonic() > deadline:
            raise SystemExit(f"timed out waiting for {what}")
        sleep(0.2)


def patroni() -> str:
    if found := os.environ.get("LEADAPI_TEST_PATRONI") or shutil.which("patroni"):
        return found
    raise SystemExit("Patroni was not found: install it or set LEADAPI_TEST_PATRONI")


def own(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    if postgres.USER:
        shutil.chown(folder, postgres.USER, postgres.USER)


def spawn(command: list[str], folder: Path, environment: dict = {}) -> subprocess.Popen:
    with (folder / "log").open("a") as log:
        return subprocess.Popen(command, cwd="/", user=postgres.USER, group=postgres.USER, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, env=os.environ | environment | {"HOME": str(folder)})
