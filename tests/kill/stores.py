"""Stores whose engine can be killed."""

import itertools
import os
import signal
import subprocess

from support.engine import Engines
from support.patroni import Cluster, Node
from support.postgres import Postgres
from support.program import until
from support.sentinel import DELAY, NAME, WatchedValkey
from support.valkey import Valkey


class DirectoryStores:
    """Each store is a directory."""

    def __init__(self, scheme, path):
        self.scheme, self.path = scheme, path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def address(self, name):
        return f"{self.scheme}:{self.path(name)}"

    def wait_until_idle(self):
        """Waits until the engine has closed the connections of a killed program."""

    def fail_over(self):
        """Loses what the engine has not made durable; a directory loses nothing here."""


class PostgresStores(Engines):
    """Each store is a table of one PostgreSQL server, which has a synchronous standby."""

    def start_all(self, enter):
        self.primary = enter(Postgres("synchronous_standby_names=*"))
        self.standby = enter(Postgres("wal_retrieve_retry_interval=100ms", standby_of=self.primary))
        until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby to follow")

    def address(self, name):
        hosts = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"
        return f"postgres://bob@{hosts}/postgres?target_session_attrs=read-write&table={name.replace('-', '_')}"

    def wait_until_idle(self):
        connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail'"
        until(lambda: self.primary.sql(connections) == "0", "the end of a killed program's connections")

    def fail_over(self):
        self.primary.stop()
        assert self.standby.sql("SELECT pg_promote()") == "t"

    def kill_server(self):
        """Kills one backend: the server then closes all connections and recovers. Returns after recovery."""
        checkpointer = self.checkpointer()
        backend = until(lambda: self.primary.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'portail' LIMIT 1"),
                        "a connection of the portal")
        os.kill(int(backend), signal.SIGKILL)
        until(lambda: self.checkpointer() not in ("", checkpointer), "the server to recover")

    def checkpointer(self):
        """Returns the process id of the primary's checkpointer, which changes with each recovery; empty during recovery."""
        try:
            return self.primary.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
        except subprocess.CalledProcessError:
            return ""


class ValkeyStores(Engines):
    """Each store is a database of one Valkey server, which syncs every write before it answers."""

    def start_all(self, enter):
        self.valkey = enter(Valkey("--databases", "1000", "--appendonly", "yes", "--appendfsync", "always"))
        self.numbers = {}

    def address(self, name):
        return f"redis://127.0.0.1:{self.valkey.port}/{self.numbers.setdefault(name, len(self.numbers))}"

    def wait_until_idle(self):
        until(lambda: len(self.valkey.cli("client", "list").splitlines()) == 1, "the end of a killed program's connections")
        for number in self.numbers.values():  # the lock of the killed import expires in 30 s
            self.valkey.cli("-n", str(number), "del", "portail:import")

    def fail_over(self):
        self.kill_server()

    def kill_server(self):
        self.valkey.stop()
        assert self.valkey.start()


class SentinelStores(WatchedValkey):
    """A Valkey primary and its replica under three sentinels. Writes wait for the replica, but reads see them before. If the sentinels
    promote the replica while the primary runs, as on a busy machine, reads return writes that are lost, and were not acknowledged."""

    may_lose_what_was_read = True

    def __init__(self):
        super().__init__(silence=5000)

    def address(self, name):
        return f"{self.url}?replicas=1"

    def kill_server(self):
        """Kills the primary. Returns after the sentinels have promoted the replica, and the old primary, started again, follows it."""
        old, new = self.primary, self.replica
        old.stop()
        until(lambda: self.all_sentinels(f"address=127.0.0.1:{new.port},", "info", "sentinel"), "the failover")
        until(lambda: "role:master" in new.cli("info", "replication"), "the promotion")
        old.settings = (*DELAY, "--replicaof", "127.0.0.1", str(new.port))
        assert old.start()
        until(old.follows, "the old primary to follow")
        until(lambda: self.all_sentinels("\nflags\nslave\n", "sentinel", "replicas", NAME), "the sentinels to see it")
        self.primary, self.replica = new, old

    fail_over = kill_server


class PatroniStores(Cluster):
    """A PostgreSQL primary and its synchronous standby under Patroni. In turn only PostgreSQL is killed, or Patroni too."""

    def __init__(self):
        super().__init__()
        self.ways = itertools.cycle([Node.kill_postgres, Node.stop])

    def address(self, name):
        return self.url

    def kill_server(self):
        self.replace_primary(next(self.ways))

    fail_over = kill_server


ENGINES = {"postgres": PostgresStores, "redis": ValkeyStores, "sentinel": SentinelStores, "patroni": PatroniStores}
SCHEMES = ("lmdb", "dir", *ENGINES)


def make_stores(scheme, path):
    """`path` returns the path of a directory."""
    return ENGINES[scheme]() if scheme in ENGINES else DirectoryStores(scheme, path)
