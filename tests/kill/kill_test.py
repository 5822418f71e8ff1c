#!/usr/bin/env python3
"""kill -9 while PUTs are acknowledged, and while a document is imported: nothing acknowledged is lost, nothing is
half-written. The moments are drawn from a seed: so many acknowledged PUTs, so many commits of the import.

    PORTAIL_PROGRAM=build/native/portail tests/kill/kill_test.py [--kills 200] [--seed 7] [--scheme dir] [--bundles 12000]
"""

import argparse
import json
import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "native"))
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, run  # noqa: E402

import documents  # noqa: E402
from ledger import Entry, Ledger, Writer  # noqa: E402

WRITERS = 8
OBJECTS_OF_A_WRITER = 3
# In an import: several commits. A folder syncs each value by itself, so that fewer of them give as many moments.
BUNDLES = {"lmdb": 12000, "dir": 600}
OPTIONS = argparse.Namespace(kills=20, seed=1, scheme="lmdb", bundles=None)


def configuration(mail_object):
    return (mail_object["utilisablePourLiasse"], mail_object["typeAffectation"])


class KillTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(OPTIONS.seed)
        cls.import_kills = OPTIONS.kills // 5
        print(f"kills {OPTIONS.kills}, seed {OPTIONS.seed}", file=sys.stderr)

    def store(self, name):
        return f"{OPTIONS.scheme}:{self.path(name)}"

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
        for _ in range(OPTIONS.kills - self.import_kills):
            ledger = Ledger()
            with self.serve(store) as server:
                self.compare(server, headers, entries)
                writers = [Writer(server, headers, entries[i::WRITERS], ledger) for i in range(WRITERS)]
                for writer in writers:
                    writer.start()
                ledger.wait_for(self.random.randint(1, 150), PATIENCE)
                server.process.kill()
                for writer in writers:
                    writer.join(PATIENCE)
                    self.assertFalse(writer.is_alive(), "a writer still waits for a server that is gone")
            answered += ledger.count
        with self.serve(store) as server:
            self.compare(server, headers, entries)
        self.compare_audit(store, entries)
        print(f"{answered} PUTs were acknowledged, none is lost", file=sys.stderr)

    def compare_audit(self, store, entries):
        """Every acknowledged PUT has one record, no PUT has two, and each record goes on where the last one ended."""
        values = {entry.identifier: (True, "Rien") for entry in entries}
        seen = set()
        for line in self.must_run("audit", "--store", store, "--action", "update", "--json").splitlines():
            record = json.loads(line)
            self.assertNotIn(record["correlationId"], seen)
            seen.add(record["correlationId"])
            (change,) = record["changes"]
            self.assertEqual(configuration(change["from"]), values[change["objetCourrier"]], line)
            values[change["objetCourrier"]] = configuration(change["to"])
        self.assertEqual(values, {entry.identifier: entry.acknowledged for entry in entries})
        lost = {identifier for entry in entries for identifier in entry.acknowledged_requests} - seen
        self.assertEqual(lost, set())

    def compare(self, server, headers, entries):
        answer = server.ask("GET", "/api/app/objet-courrier/list-all", headers)
        self.assertEqual(answer.status, 200, answer.body)
        found = {mail_object["id"]: configuration(mail_object) for mail_object in answer.json()}
        self.assertEqual(len(found), len(entries))
        faults = [entry.fault(found[entry.identifier]) for entry in entries]
        self.assertEqual([fault for fault in faults if fault], [])
        for entry in entries:
            entry.settle(found[entry.identifier])

    def test_a_killed_import_is_finished_by_another(self):
        before, after = (documents.portal(version, OPTIONS.bundles or BUNDLES[OPTIONS.scheme]) for version in (1, 2))
        old = self.write("old.json", json.dumps(before, ensure_ascii=False))
        new = self.write("new.json", json.dumps(after, ensure_ascii=False))
        undisturbed = self.store("undisturbed")
        self.must_run("import", "--store", undisturbed, old)
        self.read_some_bundles(undisturbed)
        self.must_run("import", "--store", undisturbed, new)
        expected = self.exported(undisturbed), self.own_bundles(undisturbed)

        kill = halfway = 0
        # One may come before the first commit or after the last; that all of them do would prove nothing.
        while kill < self.import_kills or (halfway == 0 and kill < 10 * self.import_kills):
            store = self.store(f"import-{kill}")
            self.must_run("import", "--store", store, old)
            self.read_some_bundles(store)
            self.kill_during_import(store, new, commits=self.random.randint(1, 8))
            halfway += self.check_each_entity(json.loads(self.exported(store)), before, after)
            self.must_run("import", "--store", store, new)
            self.assertEqual((self.exported(store), self.own_bundles(store)), expected)
            kill += 1
        print(f"{halfway} of {kill} imports were killed half-way", file=sys.stderr)
        self.assertGreater(halfway, 0)

    def kill_during_import(self, store, document, commits):
        """Kills the import once its commits have touched the store so many times, or at its end."""
        file = store.removeprefix(f"{OPTIONS.scheme}:") + {"lmdb": "/data.mdb", "dir": ""}[OPTIONS.scheme]
        last, seen = os.stat(file).st_mtime_ns, 0
        with subprocess.Popen([PROGRAM, "import", "--store", store, document], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=clean_environment()) as process:
            while seen < commits and process.poll() is None:
                touched = os.stat(file).st_mtime_ns
                seen, last = seen + (touched != last), touched
            process.kill()

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
    parser.add_argument("--scheme", choices=["lmdb", "dir"], default=OPTIONS.scheme)
    parser.add_argument("--bundles", type=int)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)
