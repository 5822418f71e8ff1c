"""portail audit verify and checkpoint over what a server, imports and erasures store. tests/unit/audit has the attacks."""

import hashlib
import hmac
import json
import os
import re
import time
import unittest

from support.program import PortailTest, Server, must_run, run

UPDATE = ("--permission", "PortailClients.ObjetsCourrier.Update")
CONTENT = json.dumps({"utilisablePourLiasse": False, "typeAffectation": "Obligatoire"}).encode()


def sealed(key, message):
    return hmac.new(key.encode(), message.encode(), hashlib.sha256).hexdigest()


def record_hash(key, text):
    """The hash by its definition in docs/reference/storage-layout.md."""
    salt = re.search(r'"salt":("[0-9a-f]*"|\[[^\]]*\])', text)
    elements = json.loads(salt[1])
    number = -1

    def commitment(found):
        nonlocal number
        number += 1
        element = elements[number] if isinstance(elements, list) else sealed(elements, str(number))
        return found[1] + (element[1:] if element.startswith("=") else sealed(element, found[2]))

    text = text.replace(salt[0], '"salt":')
    text = re.sub(r'("(?:subject|utilisateur|query)":)("(?:[^"\\]|\\.)*")', commitment, text)
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()


class AuditVerifyTest(PortailTest):
    def setUp(self):
        self.data = self.path(self.id())
        self.store = f"dir:{self.data}"
        must_run("import", "--store", self.store, self.document())
        with Server(self.folder, "--store", self.store) as server:
            for number in range(1, 5):
                headers = [self.bearer(f"sub-{number}", *UPDATE), ("Content-Type", "application/json")]
                self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", headers, CONTENT).status, 200)
        self.keys = self.path(f"{self.id()}-keys.json")
        self.public = self.path(f"{self.id()}-public.json")
        must_run("keys", "make", "--output", self.keys)
        must_run("keys", "public", "--input", self.keys, "--output", self.public)
        self.checkpoints = self.path(f"{self.id()}-checkpoints.txt")

    def verify(self, *flags):
        """The exit status, and the report."""
        done = run("audit", "verify", "--store", self.store, "--json", *flags)
        return done.returncode, json.loads(done.stdout)

    def add_checkpoint(self):
        with open(self.checkpoints, "a", encoding="utf-8") as file:
            file.write(must_run("audit", "checkpoint", "--store", self.store, "--keys", self.keys))

    def against_checkpoints(self):
        return self.verify("--checkpoints", self.checkpoints, "--keys", self.public)

    def records(self):
        """The names of the files of records, in order, with their texts."""
        names = sorted(name for name in os.listdir(self.data) if name.startswith("audit."))
        found = {}
        for name in names:
            with open(os.path.join(self.data, name), encoding="utf-8") as file:
                found[name] = file.read()
        return found

    def named(self, text):
        return next(name for name, record in self.records().items() if text in record)

    def write_record(self, name, text):
        with open(os.path.join(self.data, name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_another_implementation_computes_the_same_hashes(self):
        must_run("person", "erase", "--store", self.store, "sub-2")
        records = self.records()
        compared = 0
        for text in records.values():
            record = json.loads(text)
            previous = record["previous"] or record.get("previousCall")
            if previous:
                self.assertEqual(record["previousHash"], record_hash(previous, records[previous]))
                compared += 1
        self.assertEqual(compared, 4)
        self.assertEqual(sum('"salt":["=' in text for text in records.values()), 1)
        [(name, text)] = [(name, text) for name, text in records.items() if '"salt":["=' in text]
        erasure = json.loads(records[self.named('"action":"erasure"')])
        self.assertEqual(erasure["erased"], {name: hashlib.sha256(text.encode()).hexdigest()})

    def test_what_is_stored_is_verified(self):
        self.add_checkpoint()
        must_run("import", "--store", self.store, "--replace-configuration", self.document())
        must_run("person", "erase", "--store", self.store, "sub-2")
        self.add_checkpoint()
        status, report = self.against_checkpoints()
        self.assertEqual((status, report["verified"], report["faults"]), (0, True, []))
        self.assertEqual([report["chains"][name]["records"] for name in ("configuration", "grants", "calls")], [7, 0, 1])
        self.assertEqual(report["checkpoints"], {"given": 2, "matching": 2, "pruned": 0})
        done = run("audit", "verify", "--store", self.store, "--checkpoints", self.checkpoints, "--keys", self.public)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "audit            verified"))
        self.assertIn("erased           1 record has erased strings", done.stdout.splitlines())

    def test_an_added_record_is_not_shown(self):
        self.add_checkpoint()
        shown = must_run("audit", "--store", self.store, "--json")
        name = f"audit.{int(next(iter(self.records())).split('.')[1]) - 86_400_000_000:016}.0000000000000001"
        self.write_record(name, '{"time":"2026-01-01T00:00:00.000000Z","action":"call","subject":"mallory","previous":null}')
        fault = f"{name} is in no chain, and no interrupted write left it: it was added"
        for status, report in (self.verify(), self.against_checkpoints()):
            self.assertEqual((status, report["verified"], report["faults"], report["inNoChain"]), (1, False, [fault], 1))
        done = run("audit", "--store", self.store, "--json")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, shown, "portail: 1 record is in no chain, and not shown: portail audit verify names them\n"))

    def test_what_an_interrupted_write_leaves_is_no_fault(self):
        *_, (last, text) = self.records().items()
        shown = must_run("audit", "--store", self.store, "--json")
        name = f"audit.{int(last.split('.')[1]) + 1:016}.0000000000000001"
        self.write_record(name, text)  # lost its race
        self.assertEqual(must_run("audit", "--store", self.store, "--json"), shown)
        status, report = self.verify()
        self.assertEqual((status, report["faults"], report["inNoChain"], report["interruptedWrites"]), (0, [], 1, [name]))
        lines = must_run("audit", "verify", "--store", self.store).splitlines()
        self.assertIn(f"interrupted      {name}: its write was interrupted, or lost a race; it is not shown", lines)

    def test_records_that_were_removed_as_if_they_were_pruned(self):
        self.add_checkpoint()
        for name in self.records():
            os.remove(os.path.join(self.data, name))
        self.assertEqual(self.verify()[1]["faultCount"], 1)
        now = time.time_ns() // 1_000
        for days, flags, expected in ((-1, (), 1), (363, (), 1), (364.5, (), 0), (29.5, ("--audit-retention", "30"), 0), (29.5, (), 1),
                                      (364.5, ("--audit-retention", "400"), 1)):
            with self.subTest(days=days, flags=flags):
                # As in each case the records are gone, only the time differs.
                before = now - int(days * 86_400_000_000)
                self.write_record("config.audit", f"pruned\t{before:016}\n")
                self.write_end(before - 1)
                status, report = self.verify(*flags)
                self.assertEqual((status, report["faultCount"]), (expected, expected), report["faults"])
                self.assertRegex("".join(report["faults"]), "^$" if expected == 0 else "^records before 2.* were removed too early")

    def write_end(self, microseconds):
        """Names a record of that time as the last one of the chain of configurations."""
        with open(os.path.join(self.data, "configuration"), encoding="utf-8") as file:
            text, count = re.subn(r"^audit\t\S+\n", f"audit\taudit.{microseconds:016}.0000000000000001\n", file.read())
        self.assertEqual(count, 1)
        self.write_record("configuration", text)

    def test_more_checkpoints_than_one_mebibyte(self):
        self.add_checkpoint()
        with open(self.checkpoints, encoding="utf-8") as file:
            line = file.read().rstrip("\n")
        count = 1024 * 1024 // len(line) + 1
        with open(self.checkpoints, "w", encoding="utf-8") as file:
            file.write(f"{line}\r\n" * count)
        self.assertEqual(self.against_checkpoints()[1]["checkpoints"], {"given": count, "matching": count, "pruned": 0})

    def test_without_a_fault_only_a_checkpoint_is_signed(self):
        os.remove(os.path.join(self.data, self.named('"sub-2"')))
        self.assert_one_line(run("audit", "checkpoint", "--store", self.store, "--keys", self.keys), 1,
                             "no checkpoint: the audit has 1 fault; portail audit verify lists them")

    def test_what_the_commands_refuse(self):
        self.add_checkpoint()
        verify = ("audit", "verify", "--store", self.store)
        self.assert_one_line(run(*verify, "--checkpoints", self.checkpoints), 2, "--keys is missing")
        self.assert_one_line(run(*verify, "--keys", self.public), 2, "--checkpoints is missing")
        other = self.path("other.json")
        must_run("keys", "make", "--output", other)
        self.assert_one_line(run(*verify, "--checkpoints", self.checkpoints, "--keys", other), 1, "checkpoints.txt:1: no key of")
        with open(self.checkpoints, encoding="utf-8") as file:
            line = file.read()
        middle = len(line) // 2
        changed = self.write("changed.txt", "\n" + line[:middle] + ("A" if line[middle] != "A" else "B") + line[middle + 1:])
        self.assert_one_line(run(*verify, "--checkpoints", changed, "--keys", self.public), 1, "changed.txt:2: no key of")
        self.assert_one_line(run(*verify, "--checkpoints", self.write("empty.txt", "\n"), "--keys", self.public), 1, "has no checkpoint")
        token = must_run("token", "--keys", self.keys, "--issuer", "https://issuer.test", "--audience", "portail")
        self.assert_one_line(run(*verify, "--checkpoints", self.write("token.txt", token), "--keys", self.public), 1,
                             "what is signed is not a checkpoint")
        self.assert_one_line(run(*verify, "--checkpoints", self.checkpoints, "--keys", self.write("none.json", '{"keys":[]}')), 1,
                             "none.json cannot be used: no key of the set is usable")
        rsa = self.path("rsa.json")
        must_run("keys", "make", "--output", rsa, "--alg", "ES256")
        self.assert_one_line(run("audit", "checkpoint", "--store", self.store, "--keys", rsa), 1, "the key must be of EdDSA")
        self.assert_one_line(run("audit", "checkpoint", "--store", self.store), 2, "--keys")
        self.assert_one_line(run("audit", "verify", "--store", f"lmdb:{self.path('not-there')}"), 1, "not-there")


if __name__ == "__main__":
    unittest.main()
