"""A portal over two PostgreSQL servers in one address, of which one is the synchronous standby of the other: it finds the one that
takes writes, and goes on over the standby once that is promoted, with everything that was acknowledged."""

import json
import threading
import unittest

from support.postgres import Postgres
from support.program import PortailTest, Server, run, until

OBJECTS = 500  # more than are written
BUNDLE = "/api/app/liasse/L-00001"


class Ledger:
    """Writes one mail object after the other, each again until the portal has acknowledged it, in a thread of its own."""

    def __init__(self, server, headers):
        self.server, self.headers = server, [*headers, ("Content-Type", "application/json")]
        self.acknowledged, self.refused = [], []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.write)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.thread.join()

    def write(self):
        body = b'{"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}'
        number = 1
        while not self.ending.is_set():
            answer = self.server.ask("PUT", f"/api/app/objet-courrier/{number}", self.headers, body)
            if answer.status == 200:
                self.acknowledged.append(number)
                number += 1
            else:
                self.refused.append((answer.status, answer["Retry-After"] is not None))


class FailoverTest(PortailTest):
    def test_a_promoted_standby_has_all_that_was_acknowledged(self):
        with Postgres("synchronous_standby_names=*") as primary, Postgres(standby_of=primary) as standby:
            until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby to follow")
            hosts = f"postgres://bob@127.0.0.1:{standby.port},127.0.0.1:{primary.port}/postgres"
            store = f"{hosts}?target_session_attrs=read-write"
            self.assertEqual(run("import", "--store", store, self.document(mail_objects=OBJECTS)).returncode, 0)
            with Server(self.folder, "--store", store) as server, \
                    Server(self.folder, "--store", f"{hosts}?target_session_attrs=any") as reader:
                client = self.bearer()
                administrator = self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
                with Ledger(server, [administrator]) as ledger:
                    until(lambda: len(ledger.acknowledged) >= 50, "writes on the primary")
                    primary.stop()
                    until(lambda: len(ledger.refused) >= 20, "writes that are refused")
                    answer = server.ask("GET", BUNDLE, [client])
                    self.assertEqual((answer.status, answer["Retry-After"] is not None), (503, True))
                    self.assertEqual(server.ask("GET", "/health/ready").status, 503)
                    self.assertEqual(reader.ask("GET", BUNDLE, [client]).status, 200)
                    before = len(ledger.acknowledged)

                    self.assertEqual(standby.sql("SELECT pg_promote()"), "t")
                    until(lambda: len(ledger.acknowledged) >= before + 50, "writes on the standby")
                self.assertEqual(set(ledger.refused), {(503, True)})
                self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                kept = json.loads(run("export", "--store", store).stdout)["objetsCourrier"]
                written = {each["id"] for each in kept if each["typeAffectation"] == "Obligatoire"}
                self.assertEqual(set(ledger.acknowledged) - written, set())
                self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
