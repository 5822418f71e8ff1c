"""The stores that are under a killed program, by the scheme of their address."""

import os
import signal
import subprocess

from support.postgres import Postgres
from support.program import until
from support.valkey import Valkey


class Folders:
    """Each store is a folder of its own."""

    def __init__(self, scheme, path):
        self.scheme, self.path = scheme, path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def address(self, name):
        return f"{self.scheme}:{self.path(name)}"

    def rest(self):
        """Returns when what a killed program began has ended."""

    def fail_over(self):
        """What was lost with the engine is gone from now on."""


class Tables:
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

    def rest(self):
        connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'portail'"
        until(lambda: self.primary.sql(connections) == "0", "the end of a killed program's connections")

    def fail_over(self):
        self.primary.stop()
        assert self.standby.sql("SELECT pg_promote()") == "t"

    def kill_server(self):
        """One of its processes: the server then ends all connections, and recovers. Returns after that."""
        checkpointer = self.checkpointer()
        backend = self.primary.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'portail' LIMIT 1")
        os.kill(int(backend), signal.SIGKILL)
        until(lambda: self.checkpointer() not in ("", checkpointer), "the server to recover")

    def checkpointer(self):
        """The id of the primary's process of that name, another one after a recovery; empty while the server recovers."""
        try:
            return self.primary.sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
        except subprocess.CalledProcessError:
            return ""


class Databases:
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

    def rest(self):
        until(lambda: len(self.valkey.cli("client", "list").splitlines()) == 1, "the end of a killed program's connections")
        for number in self.numbers.values():  # as it would be in half a minute
            self.valkey.cli("-n", str(number), "del", "portail:import")

    def fail_over(self):
        self.kill_server()

    def kill_server(self):
        self.valkey.stop()
        assert self.valkey.start()
