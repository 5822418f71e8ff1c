#!/usr/bin/env python3
"""kill -9 while PUTs are acknowledged, and while a document is imported: nothing acknowledged is lost, nothing is
half-written. A seed draws the moments: a number of acknowledged PUTs, and one of the import's sync calls, at which strace kills it.

    TEST_PROGRAM=build/native/portail tests/kill/kill_test.py [--kills 200] [--seed 7] [--scheme dir] [--bundles 4000]

PostgreSQL has a synchronous standby, and Valkey syncs every write; these servers are killed too. At the end the standby, or the
restarted Valkey, must have every acknowledged PUT.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "native"))
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, must_run, needs_strace, until  # noqa: E402

import audit  # noqa: E402
import documents  # noqa: E402
from ledger import Entry, Ledger, Writer  # noqa: E402
from stores import ENGINES, make_stores  # noqa: E402

WRITERS = 8
OBJECTS_OF_A_WRITER = 3
# Of an import: several commits. A directory syncs each value separately, so that fewer bundles give more moments.
BUNDLES = {"lmdb": 4000, "dir": 401, "postgres": 1500, "redis": 6000}
# The most PUTs that are acknowledged before a kill. A directory syncs them one after the other.
MAX_PUTS = {"lmdb": 150, "dir": 20, "postgres": 100, "redis": 100}
# The system call by which a store makes its changes durable, or requests it from a server.
SYNC_CALLS = {"lmdb": "fdatasync", "dir": "fsync", "postgres": "sendto", "redis": "sendto"}
# The part of these calls during which an import writes: before and after it, a client sends reads to its server.
WRITE_PHASE = {"lmdb": (0, 1), "dir": (1 / 4, 3 / 4), "postgres": (1 / 4, 1 / 2), "redis": (1 / 10, 1 / 5)}
OPTIONS = argparse.Namespace(kills=20, seed=1, scheme="lmdb", bundles=None)


class KillTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(OPTIONS.seed)
        cls.import_kills = OPTIONS.kills // 5
        cls.server_kills = OPTIONS.kills // 5 if OPTIONS.scheme in ENGINES else 0
        print(f"kills {OPTIONS.kills}, seed {OPTIONS.seed}", file=sys.stderr)

    def setUp(self):
        self.stores = self.enterContext(make_stores(OPTIONS.scheme, self.path))

    def store(self, name):
        return self.stores.address(name)

    def serve(self, store):
        return Server(self.folder, "--store", store, "--insecure-http", "--transport", "loopback", "--workers",
                      2 * WRITERS, "--no-access-log", tls=False)

    def test_acknowledged_puts_survive(self):
        store = self.store("puts")
        count = WRITERS * OBJECTS_OF_A_WRITER
        must_run("import", "--store", store, self.document("puts.json", mail_objects=count))
        entries = [Entry(identifier, (True, "Rien")) for identifier in range(1, count + 1)]
        headers = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                   ("Content-Type", "application/json")]
        answered = 0
        for _ in range(OPTIONS.kills - self.import_kills - self.server_kills):
            with self.serve(store) as server:
                self.compare(server, headers, entries)
                answered += self.write_until(server.process.kill, server, headers, entries)
            self.stores.wait_until_idle()
        for _ in range(self.server_kills):
            with self.serve(store) as server:
                self.compare(server, headers, entries)
                answered += self.write_until(self.stores.kill_server, server, headers, entries)
                until(lambda: server.ask("GET", "/health/ready").status == 200, "the portal to be back")
        self.stores.fail_over()
        with self.serve(store) as server:
            self.compare(server, headers, entries)
        audit.compare(self, must_run("audit", "--store", store, "--action", "update", "--json"), entries)
        audit.verify(self, must_run("audit", "verify", "--store", store, "--json"))
        print(f"{answered} PUTs were acknowledged, none is lost", file=sys.stderr)

    def write_until(self, kill, server, headers, entries):
        """Runs writers, calls `kill` while PUTs are in flight, and returns the number of acknowledged PUTs."""
        ledger = Ledger()
        writers = [Writer(server, headers, entries[i::WRITERS], ledger) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        ledger.wait_for(self.random.randint(1, MAX_PUTS[OPTIONS.scheme]), PATIENCE)
        ledger.is_ending = True
        kill()
        ledger.is_over = True  # a server over a killed store may have answered every PUT with 200
        for writer in writers:
            writer.join(PATIENCE)
            self.assertFalse(writer.is_alive(), "a writer still waits for a server that is gone")
        self.assertIsNone(ledger.failure)
        return ledger.count

    def compare(self, server, headers, entries):
        audit.compare_values(self, server.ask("GET", "/api/app/objet-courrier/list-all", headers), entries)

    @needs_strace
    def test_a_killed_import_is_completed_by_another(self):
        before, after = (documents.portal(version, OPTIONS.bundles or BUNDLES[OPTIONS.scheme]) for version in (1, 2))
        old = self.write("old.json", json.dumps(before, ensure_ascii=False))
        new = self.write("new.json", json.dumps(after, ensure_ascii=False))
        undisturbed = self.store("undisturbed")
        must_run("import", "--store", undisturbed, old)
        self.read_some_bundles(undisturbed)
        must_run("import", "--store", undisturbed, new)
        expected = self.exported(undisturbed), self.own_bundles(undisturbed)
        counted = self.store("counted")
        must_run("import", "--store", counted, old)
        syncs = self.count_syncs(counted, new)
        self.assertGreater(syncs, 3)
        first, last = (round(part * syncs) for part in WRITE_PHASE[OPTIONS.scheme])
        first, last = max(first, 2), min(last, syncs - 1)

        halfway = 0
        for kill in range(self.import_kills):
            store = self.store(f"import-{kill}")
            must_run("import", "--store", store, old)
            self.read_some_bundles(store)
            self.kill_during_import(store, new, self.random.randint(first, last))
            self.stores.wait_until_idle()
            halfway += self.check_each_entity(json.loads(self.exported(store)), before, after)
            must_run("import", "--store", store, new)
            self.assertEqual((self.exported(store), self.own_bundles(store)), expected)
        print(f"{halfway} of {self.import_kills} imports were killed half-way, {syncs} moments", file=sys.stderr)
        # One may come before the first bundles or after the last; that all of them do would prove nothing.
        self.assertGreater(halfway, 0)

    def traced_import(self, store, document, *options):
        return subprocess.run(["strace", "-f", "-q", "-e", f"trace={SYNC_CALLS[OPTIONS.scheme]}", *options, PROGRAM, "import", "--store",
                               store, document], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(),
                              timeout=PATIENCE)

    def count_syncs(self, store, document):
        """Returns the number of sync calls of the thread with most of them; strace counts by thread."""
        trace = self.path("trace")
        self.assertEqual(self.traced_import(store, document, "-o", trace).returncode, 0)
        with open(trace, encoding="utf-8") as calls:
            threads = collections.Counter(call.split()[0] for call in calls if f" {SYNC_CALLS[OPTIONS.scheme]}(" in call)
        return threads.most_common(1)[0][1]

    def kill_during_import(self, store, document, sync):
        """Kills the import at sync call number `sync`."""
        inject = f"inject={SYNC_CALLS[OPTIONS.scheme]}:signal=KILL:when={sync}"
        self.assertNotEqual(self.traced_import(store, document, "-o", os.devnull, "-e", inject).returncode, 0)

    def check_each_entity(self, found, before, after):
        """Every entity is complete, old or new; returns whether both occur."""
        old, new, now = documents.entities(before), documents.entities(after), documents.entities(found)
        self.assertEqual(now.keys(), old.keys())
        neither = [key for key, entity in now.items() if entity not in (old[key], new[key])]
        self.assertEqual(neither[:3], [], now[neither[0]] if neither else None)
        return len({now[key] == new[key] for key in now}) == 2

    def exported(self, store):
        return must_run("export", "--store", store)

    def own_bundles(self, store):
        with self.serve(store) as server:
            return server.ask("GET", "/api/app/liasse", [self.bearer()]).body

    def read_some_bundles(self, store):
        """Reads bundles, so that deposits counted twice or not at all change later answers."""
        with self.serve(store) as server:
            for number in (0, 200, 400):
                answer = server.ask("GET", f"/api/app/liasse/L-{number:05}", [self.bearer()])
                self.assertEqual(answer.status, 200, answer.body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=OPTIONS.kills)
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--scheme", choices=list(SYNC_CALLS), default=OPTIONS.scheme)
    parser.add_argument("--bundles", type=int)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)
