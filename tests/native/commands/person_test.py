"""portail person: what is stored about a subject, and its erasure, beside a server."""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import sqlite3
import time
import unittest

from support.management import management_port
from support.postgres import Postgres
from support.program import PATIENCE, PortailTest, Revision, Server, must_run, run, until
from support.valkey import Valkey

from management import ADMINISTRATION  # in tests/support, which support.program adds to the path

NAME = "PortailClients.ObjetsCourrier.Update"


class PersonTest(PortailTest):
    def setUp(self):
        self.store = f"lmdb:{self.path(self.id())}"
        portal = json.loads(self.read(self.document()))
        portal["liasses"][1]["piecesAttendues"][0] |= {"statut": "Déposé", "dateDepot": "2024-02-01T09:00:00+00:00"}
        must_run("import", "--store", self.store, self.write("deposited.json", json.dumps(portal)))

    def exported(self, subject, *flags, **options):
        done = run("person", "export", "--store", self.store, subject, *flags, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def erased(self, subject, *flags):
        done = run("person", "erase", "--store", self.store, subject, *flags)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def audit(self, *flags):
        return [json.loads(line) for line in must_run("audit", "--store", self.store, "--json", *flags).splitlines()]

    def test_beside_a_server(self):
        with Server(self.folder, "--store", self.store) as server:
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer("sub-client")]).status, 200)
            admin = [("Authorization", "Bearer " + self.token("sub-client", "--permission", NAME)), ("Content-Type", "application/json")]
            body = b'{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", admin, body).status, 200)
            before = self.exported("sub-client")
            self.assertEqual([each["liasse"] for each in before["consultations"]], ["L-00001"])
            self.assertEqual([each["action"] for each in before["audit"]], ["update"])
            self.assertEqual([each["relations"] for each in before["tiers"]], [["utilisateur"]])
            self.assertIn("L-00001", [each["id"] for each in before["liasses"]])

            planned = json.loads(self.erased("sub-client", "--dry-run", "--json"))
            self.assertEqual(planned, {"dryRun": True, "auditRecords": 1, "consultations": 1, "pseudonym": None, "remainingThirdParties": 1,
                                       "remainingGrants": 0, "otherKeys": []})
            self.assertEqual(self.exported("sub-client"), before)
            said = self.erased("sub-client").splitlines()
            self.assertEqual(said[:2], ["audit records    1", "consultations    1"])
            pseudonym = said[2].split()[1]
            self.assertEqual(said[3:], ["remain           1 third party: remove the subject from the source, import it, and erase again",
                                        "purge            data.mdb keeps erased bytes in free pages: copy the store by portail migrate, and "
                                        "replace it"])
            after = self.exported("sub-client")
            self.assertEqual((after["consultations"], after["audit"]), ([], []))
            self.assertEqual([each["action"] for each in self.audit("--subject", pseudonym)], ["update"])
            self.assertEqual([each["pseudonym"] for each in self.audit("--action", "erasure")], [pseudonym])
            # The server goes on: the audit has a next record.
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", admin, body).status, 200)
        self.assertEqual([each["action"] for each in self.audit()][-3:], ["update", "erasure", "update"])
        self.assertEqual(len(self.audit("--subject", "sub-client")), 1)
        must_run("check", "--store", self.store, *self.accepting())

    def ask(self, server, target, administrator):
        """Sends a call to the management interface, and returns its status."""
        connection = http.client.HTTPConnection("127.0.0.1", management_port(server), timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", "/manage/" + target, headers={"Authorization": f"Bearer {administrator}"})
            answer = connection.getresponse()
            answer.read()
            return answer.status

    def used(self, subject):
        """Returns a folder's store that has the subject wherever a use of the portal leaves it, and nothing that an import wrote about it."""
        folder = pathlib.Path(self.path(f"{self.id()}-used"))
        portal = json.loads(self.read(self.document(user=subject)))
        portal["liasses"][1]["piecesAttendues"][0] |= {"statut": "Déposé", "dateDepot": "2024-02-01T09:00:00+00:00"}
        must_run("import", "--store", f"dir:{folder}", self.write("used.json", json.dumps(portal)))
        administrator = self.token(subject, *ADMINISTRATION, "--permission", NAME)
        with Server(self.folder, "--store", f"dir:{folder}", "--manage-listen", "127.0.0.1:0", "--insecure-http", tls=False) as server:
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer(subject)]).status, 200)
            headers = [("Authorization", "Bearer " + administrator), ("Content-Type", "application/json")]
            body = b'{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", headers, body).status, 200)
            for target, status in ((f"audit?subject={subject}", 200), (f"audit?client=x&Client={subject.replace('-', '%2d')}", 400),
                                   (f"status?unknown={subject.replace('p', '%70')}&since=1", 400), (f"status?{subject}", 400),
                                   (f"template-files/{subject}", 404)):
                self.assertEqual(self.ask(server, target, administrator), status, target)
        must_run("import", "--store", f"dir:{folder}", self.document())
        self.assertEqual(len(list(folder.glob(f"consultation.{subject}.*"))), 1)
        import_ = f"POST /manage/import by {subject}, correlation id 1f"
        (folder / "config.import-lock").write_text(f"0a\t1000000\t{json.dumps(import_)}")
        return f"dir:{folder}"

    def assert_purged(self, folder, subject, skipped="-"):
        """No file below the folder has the subject, as it is or escaped."""
        spellings = [subject, subject.replace("-", "%2d"), subject.replace("p", "%70")]
        files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and skipped not in path.parts]
        self.assertGreater(len(files), 0)
        for path in files:
            self.assertNotIn(subject, path.name)
            data = path.read_bytes()
            for spelling in spellings:
                self.assertNotIn(spelling.encode(), data, path)

    def test_no_byte_of_any_store_has_an_erased_subject(self):
        subject = "person-4711"
        used = self.used(subject)
        with Valkey("--rdbcompression", "no") as valkey, Postgres() as postgres:
            sqlite = pathlib.Path(self.path("purged.db"))
            folders = {"lmdb": self.path("erased"), "copy": self.path("copied"), "sqlite": self.path("sqlite")}
            os.mkdir(folders["sqlite"])
            sqlite = pathlib.Path(folders["sqlite"], "spin.db")
            advice = {f"lmdb:{folders['lmdb']}": "portail migrate", f"spin-sqlite:{sqlite}": "VACUUM", valkey.url: "BGREWRITEAOF",
                      postgres.url: "VACUUM FULL", used: "backups"}
            for store in list(advice)[:-1]:
                must_run("migrate", used, store)
            for store, purge in advice.items():
                with self.subTest(store=store):
                    done = run("person", "erase", "--store", store, subject)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                    self.assertEqual(done.stdout.splitlines()[:2], ["audit records    6", "consultations    1"])
                    self.assertIn(purge, done.stdout.splitlines()[-1])
                    self.assertNotIn("also in", done.stdout)
                    self.assertEqual(must_run("person", "erase", "--store", store, subject), "audit records    0\nconsultations    0\n")
                    must_run("audit", "verify", "--store", store)
                    exported = must_run("export", "--store", store, "--format", "json-lines")
                    self.assertGreater(exported.count("\n"), 10)
                    for line in map(json.loads, exported.splitlines()):
                        self.assertNotIn(subject, line["key"])
                        self.assertNotIn(subject.encode(), base64.b64decode(line["value"]))
            self.assert_purged(used.removeprefix("dir:"), subject)
            must_run("migrate", f"lmdb:{folders['lmdb']}", f"lmdb:{folders['copy']}")
            self.assert_purged(folders["copy"], subject)
            with contextlib.closing(sqlite3.connect(sqlite)) as database:
                database.execute("VACUUM")
            self.assert_purged(folders["sqlite"], subject)
            valkey.cli("save")
            self.assert_purged(valkey.folder.name, subject)
            for statement in ("VACUUM FULL", "CHECKPOINT"):
                postgres.sql(statement)
            self.assert_purged(postgres.data, subject, skipped="pg_wal")

    def test_what_cannot_be_changed_is_named(self):
        store = self.used("person-4711")
        folder = pathlib.Path(store.removeprefix("dir:"))
        held = f"0a\t{int((time.time() + 3600) * 1e6)}\t\"POST /manage/import by person-4711, correlation id 1f\""
        (folder / "config.import-lock").write_text(held)
        bundle = next(path for path in folder.glob("liasse.*") if path.name.endswith("00000"))
        with Revision(str(folder)).change():
            bundle.write_text(bundle.read_text(encoding="utf-8").replace('"Prêt"', '"of person-4711, not person-47112"'), encoding="utf-8")
        before = bundle.read_bytes()
        self.assertIn(b"person-4711", before)
        done = run("person", "erase", "--store", store, "person-4711")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "portail: 2 values with the subject cannot be changed: config.import-lock and others\n"))
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("also in")],
                         ["also in          config.import-lock", f"also in          {bundle.name}"])
        self.assertEqual((bundle.read_bytes(), (folder / "config.import-lock").read_text()), (before, held))
        done = run("person", "erase", "--store", store, "person-4711", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["otherKeys"]), (1, ["config.import-lock", bundle.name]))
        self.store = store
        self.assertEqual(self.exported("person-4711")["otherKeys"], ["config.import-lock", bundle.name])

    def test_the_pseudonym_of_the_log(self):
        key = "k" * 32
        with Server(self.folder, "--store", self.store, "--log-key", key) as server:
            server.ask("GET", "/api/app/liasse", [self.bearer("sub-client")])
            lines = until(lambda: [line for line in server.log_lines() if line.get("route") == "/api/app/liasse"], "the line")
        [subject] = {line["subject"] for line in lines}
        self.assertEqual(self.exported("sub-client", "--log-key", key)["logPseudonym"], subject)
        self.assertIsNone(self.exported("sub-client")["logPseudonym"])

    def test_faults(self):
        for subject in ("", "x" * 256, "\udcff"):
            for verb in ("export", "erase"):
                self.assert_one_line(run("person", verb, "--store", self.store, subject), 2, "SUB must be 1 to 255 bytes of UTF-8")
        self.assert_one_line(run("person", "export", "--store", self.store), 2, "SUB is missing")
        for verb in ("export", "erase"):
            self.assert_one_line(run("person", verb, "--store", f"lmdb:{self.path('none')}", "x"), 1, "none does not exist")
        self.assertFalse(os.path.exists(self.path("none")))


if __name__ == "__main__":
    unittest.main()
