"""A portal over two PostgreSQL servers in one address, of which one is the synchronous standby of the other: it finds the one that
takes writes, and goes on over the standby once that is promoted, with everything that was acknowledged, however the primary
went. failover_measured.py says how long that takes."""

import unittest

from support.faults import Fault, Faults
from support.load import BUNDLE, Writer
from support.postgres import Postgres
from support.program import PortailTest, Server, run, until

LONGEST_CALL = 10  # seconds


class FailoverTest(PortailTest):
    """The primary is at the port of a proxy, for the standby too."""

    def fail_over(self, lose_primary, refused):
        with Postgres("synchronous_standby_names=*") as primary, Faults(primary.port) as line, \
                Postgres(standby_of=primary, line=line.port) as standby:
            until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby to follow")
            hosts = f"postgres://bob@127.0.0.1:{standby.port},127.0.0.1:{line.port}/postgres"
            store = f"{hosts}?target_session_attrs=read-write"
            self.assertEqual(run("import", "--store", store, self.document()).returncode, 0)
            until(standby.has_caught_up, "the standby to have the portal")
            with Server(self.folder, "--store", store) as server, \
                    Server(self.folder, "--store", f"{hosts}?target_session_attrs=any") as reader:
                client = self.bearer()
                administrator = self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
                with Writer(server, administrator) as writer:
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
                self.assertEqual(set(writer.refused), {(503, True)})
                self.assertLess(writer.longest, LONGEST_CALL + 5)
                self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                records = run("audit", "--store", store, "--action", "update", "--json").stdout
                self.assertEqual(writer.lost(records), [])
                self.assertEqual(server.stop(), 0)

    def test_the_primary_is_killed(self):
        self.fail_over(lambda primary, line: primary.stop(), refused=20)

    def test_the_primary_is_frozen(self):
        self.fail_over(lambda primary, line: primary.freeze(), refused=1)

    def test_the_primary_is_cut_off(self):
        self.fail_over(lambda primary, line: line.be(Fault.SILENT), refused=1)


if __name__ == "__main__":
    unittest.main()
