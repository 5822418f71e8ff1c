"""A portal over a PostgreSQL primary and its synchronous standby, both in one address. It finds the server that accepts writes, and uses
the standby once that is promoted. No acknowledged PUT is lost, whatever the primary's failure. The same over Valkey, where writes wait
for the replica, and sentinels promote it."""

import unittest

from support.faults import Fault, Faults
from support.load import BUNDLE, Writer
from support.postgres import Postgres
from support.program import STALL, PortailTest, Server, must_run, run, until
from support.sentinel import WatchedValkey
from support.valkey import Valkey


class FailoverTest:
    """Clients and replicas reach the primary through a proxy."""

    max_silence = 10  # seconds

    def writer(self, server):
        return Writer(server, self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"))

    def assert_nothing_is_lost(self, store, server, writer):
        self.assertLessEqual(set(writer.refused), {(503, True)})
        self.assertLess(writer.max_latency, self.max_silence + STALL)
        self.assertEqual(server.ask("GET", "/health/ready").status, 200)
        records = run("audit", "--store", store, "--action", "update", "--json").stdout
        self.assertEqual(writer.lost_puts(records), [])
        self.assertEqual(server.stop(), 0)

    def test_the_primary_is_killed(self):
        self.fail_over(lambda primary, line: primary.stop(), refused=20)

    def test_the_primary_is_frozen(self):
        self.fail_over(lambda primary, line: primary.freeze(), refused=1)

    def test_the_primary_is_cut_off(self):
        self.fail_over(lambda primary, line: line.set_fault(Fault.SILENT), refused=1)


class FailoverOverPostgres(FailoverTest, PortailTest):
    def fail_over(self, lose_primary, refused):
        with Postgres("synchronous_standby_names=*") as primary, Faults(primary.port) as line, \
                Postgres(standby_of=primary, line=line.port) as standby:
            until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby to follow")
            hosts = f"postgres://bob@127.0.0.1:{standby.port},127.0.0.1:{line.port}/postgres"
            store = f"{hosts}?target_session_attrs=read-write"
            must_run("import", "--store", store, self.document())
            until(standby.has_caught_up, "the standby to have the portal")
            with Server(self.folder, "--store", store) as server, \
                    Server(self.folder, "--store", f"{hosts}?target_session_attrs=any") as reader:
                client = self.bearer()
                with self.writer(server) as writer:
                    until(lambda: len(writer.acknowledged) >= 50, "writes on the primary")
                    lose_primary(primary, line)
                    until(lambda: len(writer.refused) >= refused, "writes that are refused")
                    answer = server.ask("GET", BUNDLE, [client])
                    self.assertEqual((answer.status, answer["Retry-After"] is not None), (503, True))
                    self.assertEqual(server.ask("GET", "/health/ready").status, 503)
                    self.assertEqual(reader.ask("GET", BUNDLE, [client]).status, 200)
                    before = len(writer.acknowledged)

                    self.assertEqual(standby.sql("SELECT pg_promote()"), "t")
                    until(lambda: len(writer.acknowledged) >= before + 50, "writes on the standby")
                self.assert_nothing_is_lost(store, server, writer)


class FailoverOverValkey(FailoverTest, PortailTest):
    """The replica has a replica itself, so that writes do not wait for the old primary. Possibly no client is refused: failed reads are
    retried, and the failover may be complete by then."""

    max_silence = 5

    def fail_over(self, lose_primary, **_):
        with WatchedValkey(silence=2000, line=Faults) as valkey, Valkey("--replicaof", "127.0.0.1", str(valkey.replica.port)) as third:
            until(third.follows, "the third one to follow")
            store = f"{valkey.url}?replicas=1"
            must_run("import", "--store", store, self.document())
            with Server(self.folder, "--store", store) as server:
                with self.writer(server) as writer:
                    until(lambda: len(writer.acknowledged) >= 50, "writes on the primary")
                    lose_primary(valkey.primary, valkey.line)
                    before = len(writer.acknowledged)
                    until(lambda: len(writer.acknowledged) >= before + 50, "writes on the replica that was promoted")
                self.assertIn("role:master", valkey.replica.cli("info", "replication"))
                self.assertEqual(server.ask("GET", BUNDLE, [self.bearer()]).status, 200)
                self.assert_nothing_is_lost(store, server, writer)


if __name__ == "__main__":
    unittest.main()
