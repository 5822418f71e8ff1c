"""PostgreSQL servers under Patroni, with etcd, that a test starts on free ports of the loopback: Patroni promotes the synchronous standby if
the primary fails. Standard library only."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import urllib.request

from support.engine import Engine, Engines, free_port, with_descendants
from support.postgres import OWNER, as_owner, programs
from waiting import until

# The lowest values that Patroni accepts: a primary whose machine failed is replaced after `ttl`. If only its PostgreSQL failed, its Patroni
# does not start it again, but gives up its role.
SETTINGS = {"ttl": 20, "loop_wait": 1, "retry_timeout": 3, "primary_start_timeout": 0, "synchronous_mode": True,
            "postgresql": {"use_pg_rewind": True}}


class Etcd(Engine):
    ready = "ready to serve client requests"

    def command(self):
        clients, peers = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{free_port()}"
        return ["etcd", "--data-dir", f"{self.folder.name}/data", "--listen-client-urls", clients, "--advertise-client-urls", clients,
                "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}",
                "--unsafe-no-fsync"]


class Node(Engine):
    """A PostgreSQL server and its Patroni, one of the cluster in this etcd. The first node creates the database, another copies it."""

    ready = "I am ("  # the report of each round

    def __init__(self, name, etcd):
        self.name, self.etcd, self.status_port = name, etcd, free_port()
        super().__init__()

    def prepare(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder.name, OWNER, OWNER)

    @property
    def data(self):
        return pathlib.Path(self.folder.name) / "data"

    def command(self):
        local, status = f"127.0.0.1:{self.port}", f"127.0.0.1:{self.status_port}"
        configuration = {
            "scope": "portail", "name": self.name, "etcd3": {"hosts": [f"127.0.0.1:{self.etcd.port}"]},
            "restapi": {"listen": status, "connect_address": status},
            "bootstrap": {"dcs": SETTINGS, "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "no-sync"]},
            "postgresql": {
                "listen": local, "connect_address": local, "data_dir": str(self.data), "bin_dir": str(programs()),
                "pgpass": f"{self.folder.name}/pgpass", "remove_data_directory_on_diverged_timelines": True,
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
                "authentication": {"superuser": {"username": "bob"}, "replication": {"username": "replicator"}},
                "basebackup": ["no-sync", {"checkpoint": "fast"}],
                "parameters": {"fsync": "off", "unix_socket_directories": self.folder.name, "wal_retrieve_retry_interval": "100ms"}}}
        file = pathlib.Path(self.folder.name) / "patroni.yml"
        file.write_text(json.dumps(configuration), encoding="ascii")  # JSON is YAML
        return as_owner(["patroni", str(file)])

    def postgres_processes(self):
        """Returns the ids of PostgreSQL's processes, which do not end with Patroni."""
        file = self.data / "postmaster.pid"
        return with_descendants(int(file.read_text(encoding="ascii").split("\n")[0])) if file.exists() else []

    def kill_postgres(self):
        """Kills PostgreSQL; Patroni stays."""
        kill(self.postgres_processes())

    def stop(self):
        """Kills PostgreSQL and Patroni, as the end of their machine does."""
        if self.process:
            self.process.kill()  # first, so that it does not react
        self.kill_postgres()  # it has Patroni's output open
        super().stop()

    def member(self, name):
        """Returns the role and the state of a node, as this one sees it; None if this one does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.status_port}/cluster") as answer:
                members = json.load(answer)["members"]
        except OSError:
            return None
        return next(((member["role"], member["state"]) for member in members if member["name"] == name), None)


def kill(processes):
    for number in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


class Cluster(Engines):
    """Two nodes; the constructor returns when the second one is the synchronous standby."""

    def start_all(self, enter):
        etcd = enter(Etcd())
        self.primary = enter(Node("first", etcd))
        until(lambda: self.primary.member("first") == ("leader", "running"), "the primary")
        self.standby = enter(Node("second", etcd))
        self.wait_for_standby()

    def wait_for_standby(self):
        until(lambda: self.primary.member(self.standby.name) == ("sync_standby", "streaming"), "the synchronous standby")

    def replace_primary(self, lose):
        """Calls `lose` with the primary. Returns after the standby was promoted, and the old primary is its synchronous standby."""
        lose(self.primary)
        self.primary, self.standby = self.standby, self.primary
        until(lambda: self.primary.member(self.primary.name) == ("leader", "running"), "the promotion")
        if not self.standby.process:
            assert self.standby.start()
        self.wait_for_standby()

    @property
    def url(self):
        return f"postgres://bob@127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}/postgres?target_session_attrs=read-write"
