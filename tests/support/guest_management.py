"""The tests of the management interface in hosts of WebAssembly. Standard library only."""

import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import access_lines
from management import ADMINISTRATION, JSON, ManagementTests
from portal import Portal, clean_environment, small_portal
from waiting import PATIENCE, until

LOCK = "config.import-lock"


class GuestManagementTests(ManagementTests):
    """Those of ManagementTests, and others, over the folder `data`. A host provides
    - program, the native program,
    - serve(is_management, settings): a context manager of a server (serving.Serving) of the management interface or the public one."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-management-")))
        self.portal = Portal(self.program, self.folder)
        self.portal.make_keys("--alg", "EdDSA", "--kid", "one")
        self.administrator = self.token("sub-admin", *ADMINISTRATION)
        self.public_keys = self.portal.public
        self.data = self.folder / "data"
        self.data.mkdir()

    def token(self, subject="sub-client", *flags):
        return self.portal.token(subject, *flags)

    def start(self, max_document=None, subjects=None, retention=365):
        shutil.rmtree(self.data)
        self.data.mkdir()
        settings = {"PORTAIL_MANAGE_MAX_DOCUMENT": str(max_document)} if max_document else {}
        settings["PORTAIL_AUDIT_RETENTION"] = f"{retention}d"
        return self.serve(True, settings | ({"PORTAIL_MANAGE_SUBJECTS": subjects} if subjects else {}))

    def connect(self, server):
        return http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)

    def native_export(self, server):
        self.portal.run("export", "--store", f"dir:{self.data}", "--output", self.folder / "native.json", "--overwrite")
        return (self.folder / "native.json").read_bytes()

    def native_audit(self, server):
        return self.portal.run("audit", "--store", f"dir:{self.data}", "--json").encode()

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def document(self, mail_objects=3, bundles=2):
        return self.written("document.json", json.dumps(small_portal(mail_objects, bundles)))

    def test_the_public_interface_reads_what_was_imported(self):
        with self.start() as management:
            self.assertEqual(self.send(management, self.document())[0], 200)
            with self.serve(False, {"PORTAIL_JWKS": ""}) as public:
                bearer = {"Authorization": f"Bearer {self.token()}"}
                self.assertEqual(public.ask("/api/app/liasse", bearer)[0], 503)  # no keys
                self.assertEqual(self.ask(management, "PUT", "keys", self.public_keys.read_bytes(), JSON)[0], 200)
                until(lambda: public.ask("/api/app/liasse", bearer)[0] == 200, "the keys, which are read every second")
                self.assertEqual(len(json.loads(public.ask("/api/app/liasse", bearer)[2])), 2)
                self.assertEqual(self.send(management, self.document(bundles=3))[0], 200)
                self.assertEqual(len(json.loads(public.ask("/api/app/liasse", bearer)[2])), 3)
                self.assertEqual(public.ask("/manage/status", {"Authorization": f"Bearer {self.administrator}"})[0], 404)
                self.assertEqual(management.ask("/api/app/liasse", {"Authorization": f"Bearer {self.administrator}"})[0], 404)

    def test_an_import_waits_for_the_lock(self):
        with self.start() as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            lock = self.data / LOCK
            self.assertEqual(lock.read_bytes(), b"")
            lock.write_text(f"other\t{int((time.time() + 3600) * 1e6)}")
            status, answer = self.send(server, self.document())
            self.assertEqual(status, 409)
            self.assertIn("another import is running, or ended without a notice: wait until it ends, at the latest 20", answer["error"]["message"])
            self.assertEqual(self.send(server, self.document(), "?dryRun=true")[0], 200)
            lock.write_text(f"other\t{int((time.time() - 1) * 1e6)}")  # expired
            self.assertEqual(self.send(server, self.document())[0], 200)
            self.assertEqual(lock.read_bytes(), b"")

    def import_by_the_program(self, document):
        """Starts `portail import` into the folder."""
        return subprocess.Popen([self.program, "import", "--store", f"dir:{self.data}", document], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, env=clean_environment())

    def held_lock(self):
        """Returns the value of the lock; empty if it is free."""
        path = self.data / LOCK
        return path.read_text() if path.exists() else ""

    def test_the_program_waits_for_an_import_of_a_host(self):
        """Also for one that was killed, until its lock expires."""
        with self.start() as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            body = self.document(bundles=3000).read_bytes()
            connection = self.connect(server)
            connection.request("POST", "/manage/import", body, JSON | {"Authorization": f"Bearer {self.administrator}", "X-Correlation-Id": "killed"})
            until(self.held_lock, "the import has begun")
            server.stop(signal.SIGKILL)
            connection.close()
        token, expiry, importer = self.held_lock().split("\t")
        self.assertEqual(importer, '"POST /manage/import by sub-admin, correlation id killed"')
        document = self.document()
        refused = self.import_by_the_program(document)
        self.assertIn("another import is running, or ended without a notice: wait until it ends, at the latest 20", refused.communicate()[1])
        self.assertEqual(refused.returncode, 1)
        refused = self.import_by_the_program(document)
        self.assertRegex(refused.communicate()[1], "Z; it is POST /manage/import by sub-admin, correlation id killed\n$")
        self.assertEqual(self.held_lock(), f"{token}\t{expiry}\t{importer}")
        (self.data / LOCK).write_text(f"{token}\t{int((time.time() - 1) * 1e6)}\t{importer}")  # expired
        self.portal.run("import", "--store", f"dir:{self.data}", document)
        self.assertEqual(self.held_lock(), "")

    def test_a_host_waits_for_an_import_of_the_program(self):
        """Another program need not wait for one that was killed."""
        with self.start() as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            many = self.document(bundles=20_000).rename(self.folder / "many.json")
            program = self.import_by_the_program(many)
            try:
                until(self.held_lock, "the import has begun")
                program.send_signal(signal.SIGSTOP)
                self.assertIsNone(program.poll())
                for _ in range(2):  # while it runs, and after it was killed
                    status, answer = self.send(server, self.document())
                    self.assertEqual(status, 409)
                    self.assertRegex(answer["error"]["message"],
                                     r"^another import is running, .*Z; it is portail import by \S+, correlation id [0-9a-f]+$")
                    self.assertEqual(self.send(server, self.document(), "?dryRun=true")[0], 200)
                    program.kill()
                    program.wait()
            finally:
                program.kill()
                program.communicate()
            self.portal.run("import", "--store", f"dir:{self.data}", many)
            self.assertEqual(self.held_lock(), "")
            self.assertEqual(self.send(server, self.document())[0], 200)

    def values(self):
        """The stored values except those of the audit, and the size of the revision."""
        return {path.name: path.read_bytes() for path in self.data.iterdir() if path.is_file() and not path.name.startswith(("audit.", "config.audit"))}

    def test_a_call_moves_no_value(self):
        with self.start() as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            before = self.values()
            self.assertIn("configuration", before)
            records = len(list(self.data.glob("audit.*")))
            for target in ("status", "export", "audit", "check"):
                self.assertEqual(self.ask_raw(server, "GET", target)[0], 200)
            self.assertEqual(len(list(self.data.glob("audit.*"))), records + 4)
            self.assertEqual(self.values(), before)

    def test_an_import_removes_old_records(self):
        with self.start(retention=1) as server:
            self.assert_an_import_removes_old_records(server, self.data)

    def test_nothing_is_answered_without_a_record(self):
        with self.start() as server:
            self.assert_nothing_is_answered_without_a_record(server, self.data)

    def test_who_may_use_it(self):
        with self.start(subjects="sub-alice,sub-zoe") as server:
            for token, expected in (("", 401), (self.token(), 403), (self.administrator, 200), (self.token("sub-zoe"), 200)):
                self.assertEqual(self.ask(server, "GET", "status", token=token)[0], expected)
        self.assertEqual([(line["access"], line["status"], line["route"]) for line in access_lines.lines(server)],
                         [("refused", 401, "/manage/status"), ("refused", 403, "/manage/status"), ("management", 200, "/manage/status"),
                          ("management", 200, "/manage/status")])
