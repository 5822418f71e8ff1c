"""The stores of the kill test, by engine."""

import os
import signal
import subprocess

from support.postgres import Postgres
from support.program import until
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


class PostgresStores:
    """Each store is a table of one PostgreSQL server, which has a synchronous standby."""

    def __init__(self):
        self.primary = Postgres("synchronous_standby_names=*")
        self.standby = Postgres("wal_retrieve_retry_interval=100ms", standby_of=self.primary)
        until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby to follow")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.standby.__exit__()
        self.primary.__exit__()

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


class ValkeyStores:
    """Each store is a database of one Valkey server, which syncs every write before it answers."""

    def __init__(self):
        self.valkey = Valkey("--databases", "1000", "--appendonly", "yes", "--appendfsync", "always")
        self.numbers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.valkey.__exit__()

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
