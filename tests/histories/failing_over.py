"""Stores whose engine fails over by itself, in the form of those of the kill test (tests/kill/stores.py)."""

import itertools

from support.patroni import Cluster, Node
from support.program import until
from support.sentinel import NAME, WatchedValkey

DELAY = ("--repl-diskless-sync-delay", "0")


class SentinelStores:
    """A Valkey primary and its replica under three sentinels. Writes wait for the replica, but reads see them before. If the sentinels
    promote the replica while the primary runs, as on a busy machine, reads return writes that are lost, and were not acknowledged."""

    may_lose_what_was_read = True

    def __init__(self):
        self.watched = WatchedValkey(silence=5000)
        self.primary, self.replica = self.watched.primary, self.watched.replica

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watched.__exit__()

    def address(self, name):
        return f"{self.watched.url}?replicas=1"

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

    def all_sentinels(self, wanted, *command):
        return all(wanted in sentinel.cli(*command) for sentinel in self.watched.sentinels)


class PatroniStores:
    """A PostgreSQL primary and its synchronous standby under Patroni. In turn only PostgreSQL is killed, or Patroni too."""

    def __init__(self):
        self.cluster = Cluster()
        self.ways = itertools.cycle([Node.kill_postgres, Node.stop])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cluster.__exit__()

    def address(self, name):
        return self.cluster.url

    def kill_server(self):
        self.cluster.fail_over(next(self.ways))

    fail_over = kill_server
