#!/usr/bin/env python3
"""kill -9 while PUTs are acknowledged, and while a document is imported: nothing acknowledged is lost, nothing is
half-written. The moments are drawn from a seed: so many acknowledged PUTs, and one of the import's calls that make something durable,
which strace counts and kills at.

    PORTAIL_PROGRAM=build/native/portail tests/kill/kill_test.py [--kills 200] [--seed 7] [--scheme dir] [--bundles 4000]

PostgreSQL has a synchronous standby, and Valkey syncs every write; these servers are killed too. In the end what was acknowledged is looked
for in the standby, or in what Valkey kept.
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
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, needs_strace, run, until  # noqa: E402

import audit  # noqa: E402
import documents  # noqa: E402
from ledger import Entry, Ledger, Writer  # noqa: E402
from stores import Databases, Folders, Tables  # noqa: E402

SERVERS = {"postgres": Tables, "redis": Databases}
WRITERS = 8
OBJECTS_OF_A_WRITER = 3
# In an import: several commits. A folder syncs each value by itself, so that fewer of them give more moments.
BUNDLES = {"lmdb": 4000, "dir": 401, "postgres": 1500, "redis": 6000}
# Before a kill, at most so many PUTs are acknowledged: a folder syncs each by itself, one after the other.
PUTS = {"lmdb": 150, "dir": 20, "postgres": 100, "redis": 100}
# The call by which a store makes its changes durable, or has them made so.
SYNC = {"lmdb": "fdatasync", "dir": "fsync", "postgres": "sendto", "redis": "sendto"}
# Among these calls, those between which an import writes: what is sent to a server asks it for values too, before and after.
WRITING = {"lmdb": (0, 1), "dir": (0, 1), "postgres": (1 / 4, 1 / 2), "redis": (1 / 10, 1 / 5)}
OPTIONS = argparse.Namespace(kills=20, seed=1, scheme="lmdb", bundles=None)


class KillTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(OPTIONS.seed)
        cls.import_kills = OPTIONS.kills // 5
        cls.server_kills = OPTIONS.kills // 5 if OPTIONS.scheme in SERVERS else 0
        print(f"kills {OPTIONS.kills}, seed {OPTIONS.seed}", file=sys.stderr)

    def setUp(self):
        make_server = SERVERS.get(OPTIONS.scheme)
        self.stores = self.enterContext(make_server() if make_server else Folders(OPTIONS.scheme, self.path))

    def store(self, name):
        return self.stores.address(name)

    def must_run(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def serve(self, store):
        return Server(self.folder, "--store", store, "--insecure-http", "--transport", "loopback", "--workers",
                      2 * WRITERS, "--no-access-log", tls=False)

    def test_acknowledged_puts_survive(self):
        store = self.store("puts")
        count = WRITERS * OBJECTS_OF_A_WRITER
        self.must_run("import", "--store", store, self.document("puts.json", mail_objects=count))
        entries = [Entry(identifier, (True, "Rien")) for identifier in range(1, count + 1)]
        headers = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                   ("Content-Type", "application/json")]
        answered = 0
        for _ in range(OPTIONS.kills - self.import_kills - self.server_kills):
            with self.serve(store) as server:
                self.compare(server, headers, entries)
                answered += self.write_until(server.process.kill, server, headers, entries)
            self.stores.rest()
        for _ in range(self.server_kills):
            with self.serve(store) as server:
                self.compare(server, headers, entries)
                answered += self.write_until(self.stores.kill_server, server, headers, entries)
                until(lambda: server.ask("GET", "/health/ready").status == 200, "the portal to be back")
        self.stores.fail_over()
        with self.serve(store) as server:
            self.compare(server, headers, entries)
        audit.compare(self, self.must_run("audit", "--store", store, "--action", "update", "--json"), entries)
        print(f"{answered} PUTs were acknowledged, none is lost", file=sys.stderr)

    def write_until(self, kill, server, headers, entries):
        """Kills in the middle of PUTs; how many were acknowledged."""
        ledger = Ledger()
        writers = [Writer(server, headers, entries[i::WRITERS], ledger) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        ledger.wait_for(self.random.randint(1, PUTS[OPTIONS.scheme]), PATIENCE)
        ledger.is_ending = True
        kill()
        ledger.is_over = True  # a server over a killed store may have answered every PUT with 200
        for writer in writers:
            writer.join(PATIENCE)
            self.assertFalse(writer.is_alive(), "a writer still waits for a server that is gone")
        self.assertIsNone(ledger.failure)
        return ledger.count

    def compare(self, server, headers, entries):
        answer = server.ask("GET", "/api/app/objet-courrier/list-all", headers)
        self.assertEqual(answer.status, 200, answer.body)
        found = {mail_object["id"]: audit.configuration(mail_object) for mail_object in answer.json()}
        self.assertEqual(len(found), len(entries))
        faults = [entry.fault(found[entry.identifier]) for entry in entries]
        self.assertEqual([fault for fault in faults if fault], [])
        for entry in entries:
            entry.settle(found[entry.identifier])

    @needs_strace
    def test_a_killed_import_is_finished_by_another(self):
        before, after = (documents.portal(version, OPTIONS.bundles or BUNDLES[OPTIONS.scheme]) for version in (1, 2))
        old = self.write("old.json", json.dumps(before, ensure_ascii=False))
        new = self.write("new.json", json.dumps(after, ensure_ascii=False))
        undisturbed = self.store("undisturbed")
        self.must_run("import", "--store", undisturbed, old)
        self.read_some_bundles(undisturbed)
        self.must_run("import", "--store", undisturbed, new)
        expected = self.exported(undisturbed), self.own_bundles(undisturbed)
        counted = self.store("counted")
        self.must_run("import", "--store", counted, old)
        syncs = self.syncs_of_import(counted, new)
        self.assertGreater(syncs, 3)
        first, last = (round(part * syncs) for part in WRITING[OPTIONS.scheme])
        first, last = max(first, 2), min(last, syncs - 1)

        halfway = 0
        for kill in range(self.import_kills):
            store = self.store(f"import-{kill}")
            self.must_run("import", "--store", store, old)
            self.read_some_bundles(store)
            self.kill_during_import(store, new, self.random.randint(first, last))
            self.stores.rest()
            halfway += self.check_each_entity(json.loads(self.exported(store)), before, after)
            self.must_run("import", "--store", store, new)
            self.assertEqual((self.exported(store), self.own_bundles(store)), expected)
        print(f"{halfway} of {self.import_kills} imports were killed half-way, {syncs} moments", file=sys.stderr)
        # One may come before the first bundles or after the last; that all of them do would prove nothing.
        self.assertGreater(halfway, 0)

    def traced_import(self, store, document, *options):
        return subprocess.run(["strace", "-f", "-q", "-e", f"trace={SYNC[OPTIONS.scheme]}", *options, PROGRAM, "import", "--store",
                               store, document], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(),
                              timeout=PATIENCE)

    def syncs_of_import(self, store, document):
        """How often the import makes something durable, in the thread that does most of it: strace counts for each."""
        trace = self.path("trace")
        self.assertEqual(self.traced_import(store, document, "-o", trace).returncode, 0)
        with open(trace, encoding="utf-8") as calls:
            threads = collections.Counter(call.split()[0] for call in calls if f" {SYNC[OPTIONS.scheme]}(" in call)
        return threads.most_common(1)[0][1]

    def kill_during_import(self, store, document, sync):
        """Kills the import where it makes something durable for that time."""
        inject = f"inject={SYNC[OPTIONS.scheme]}:signal=KILL:when={sync}"
        self.assertNotEqual(self.traced_import(store, document, "-o", os.devnull, "-e", inject).returncode, 0)

    def check_each_entity(self, found, before, after):
        """Every entity is whole, old or new; says whether there are some of both."""
        old, new, now = documents.entities(before), documents.entities(after), documents.entities(found)
        self.assertEqual(now.keys(), old.keys())
        neither = [key for key, entity in now.items() if entity not in (old[key], new[key])]
        self.assertEqual(neither[:3], [], now[neither[0]] if neither else None)
        return len({now[key] == new[key] for key in now}) == 2

    def exported(self, store):
        return self.must_run("export", "--store", store)

    def own_bundles(self, store):
        with self.serve(store) as server:
            return server.ask("GET", "/api/app/liasse", [self.bearer()]).body

    def read_some_bundles(self, store):
        """So that deposits that are counted twice, or not at all, would show."""
        with self.serve(store) as server:
            for number in (0, 200, 400):
                answer = server.ask("GET", f"/api/app/liasse/L-{number:05}", [self.bearer()])
                self.assertEqual(answer.status, 200, answer.body)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=OPTIONS.kills)
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--scheme", choices=list(SYNC), default=OPTIONS.scheme)
    parser.add_argument("--bundles", type=int)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)
