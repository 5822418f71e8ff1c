"""The management interface (--manage-listen): import, export, audit, check, status, keys and template files over HTTP."""

import collections
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import ssl
import threading
import time
import unittest

from support.management import management_port
from support.program import PATIENCE, PortailTest, Revision, Server, Worker, must_run, run, until

from hostile_documents import HostileDocumentTests  # in tests/support, which support.program adds to the path
from management import ADMINISTRATION, JSON, ManagementTests


def setUpModule():
    if record := os.environ.get("TEST_MANAGEMENT_RECORD"):
        pathlib.Path(record).parent.mkdir(exist_ok=True)
        pathlib.Path(record).unlink(missing_ok=True)


class ManagementTest(ManagementTests, HostileDocumentTests, PortailTest):
    malformed = (400, "The request is malformed!")
    body_timeout = 20

    def start(self, *flags, store=None, tls=False, max_document=None, subjects=None, environment=None):
        store = store or f"lmdb:{self.path(self.id().rsplit('.', 1)[1])}"
        insecure = () if tls else ("--insecure-http",)
        limit = ("--manage-max-document", max_document) if max_document else ()
        subject = ("--manage-subject", subjects) if subjects else ()
        server = Server(self.folder, "--store", store, "--create", "--manage-listen", "127.0.0.1:0", *insecure, *limit, *subject, *flags, tls=tls,
                        environment=environment)
        server.store = store
        return server

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.administrator = cls.token("sub-admin", *ADMINISTRATION)

    def connect(self, server):
        port = management_port(server)
        if not server.tls:
            return http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        context = ssl.create_default_context(cafile=self.path("certificate.pem"))
        context.check_hostname = False
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)

    def native_export(self, server):
        must_run("export", "--store", server.store, "--output", self.path("native.json"), "--root", self.path("exported"), "--overwrite")
        return pathlib.Path(self.path("native.json")).read_bytes()

    def native_audit(self, server):
        return must_run("audit", "--store", server.store, "--json").encode()

    @property
    def public_keys(self):
        return self.path("public.json")

    def written(self, name, text):
        return self.write(name, text)

    def test_who_may_use_it(self):
        with self.start(subjects="sub-alice") as server:
            grants = self.write("all-grants.json", json.dumps({"droits": [
                {"permission": "PortailClients.Administration", "utilisateur": "sub-client"}]}))
            self.assertEqual(self.send(server, grants)[1]["faults"], ["droits[0].permission: unknown permission"])
            for token, expected in (("", 401), ("abc", 401), (self.token(), 403), (self.token("sub-admin", "--permission", "PortailClients"), 403),
                                    (self.token("sub-admin", "--role", "PortailClients.Administration"), 403),
                                    (self.token("sub-admin", "--claim", 'scope="openid xPortailClients.Administration"'), 403),
                                    (self.token("sub-admin", *ADMINISTRATION, "--lifetime", "-120"), 401),
                                    (self.administrator, 200), (self.token("sub-alice"), 200),
                                    (self.token("sub-admin", "--claim", 'scope="openid PortailClients.Administration"'), 200)):
                for target in ("status", "STATUS/"):
                    self.assertEqual(self.ask(server, "GET", target, token=token)[0], expected, token)
            lines = until(lambda: [line for line in server.events("access") if line["status"] == 403], "access lines")
            self.assertEqual({line["reason"] for line in lines}, {"The permission PortailClients.Administration is missing"})
            self.assertEqual({line["access"] for line in lines}, {"refused"})
            # Neither interface is reachable through the other's address.
            self.assertEqual(server.ask("GET", "/manage/status", [("Authorization", f"Bearer {self.administrator}")]).status, 404)
            connection = self.connect(server)
            connection.request("GET", "/api/app/liasse", headers={"Authorization": f"Bearer {self.administrator}"})
            self.assertEqual(connection.getresponse().status, 404)
            connection.close()

    def test_no_browser_may_call_it(self):
        with self.start("--allow-origin", "https://portal.example") as server:
            connection = self.connect(server)
            connection.request("OPTIONS", "/manage/import", headers={"Origin": "https://portal.example", "Access-Control-Request-Method": "POST"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.getheader("Access-Control-Allow-Origin")), (401, None))
            connection.close()
            connection.request("OPTIONS", "*")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.getheader("Allow"), answer.read()), (204, "GET, HEAD, POST, PUT, OPTIONS", b""))
            connection.close()

    def test_it_has_the_tls_of_the_portal(self):
        with self.start(tls=True) as server:
            self.assertEqual(self.ask(server, "GET", "status")[0], 200)
        refused = run("serve", "--store", "memory:", "--create", *self.accepting(), "--listen", "127.0.0.1:0", "--manage-listen", ":0")
        self.assert_one_line(refused, 2, "--insecure-http listens on a loopback address only", "not :0")

    def status_with(self, server, name, version=ssl.TLSVersion.TLSv1_3):
        """Asks for the status with the certificate NAME; returns the status, or None if the handshake is refused."""
        context = ssl.create_default_context(cafile=self.path("certificate.pem"))
        context.check_hostname = False
        context.maximum_version = version
        if name:
            context.load_cert_chain(self.path(f"{name}.pem"), self.path(f"{name}.key"))
        connection = http.client.HTTPSConnection("127.0.0.1", management_port(server), timeout=PATIENCE, context=context)
        try:
            connection.request("GET", "/manage/status", headers={"Authorization": f"Bearer {self.administrator}"})
            return connection.getresponse().status
        except (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected):
            return None
        finally:
            connection.close()

    def test_client_certificates(self):
        for name in ("authority", "other-authority", "self-signed"):
            self.make_certificate(f"{name}.pem", f"{name}.key")
        self.make_signed_certificate("client", "authority")
        self.make_signed_certificate("server-only", "authority", "extendedKeyUsage=serverAuth")
        self.make_signed_certificate("of-another", "other-authority")
        shutil.copy(self.path("authority.pem"), self.path("trusted.pem"))
        with self.start("--manage-client-ca", self.path("trusted.pem"), tls=True) as server:
            for name, expected in ((None, None), ("of-another", None), ("self-signed", None), ("server-only", None), ("client", 200)):
                for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                    self.assertEqual(self.status_with(server, name, version), expected, name)
            self.assertEqual(server.ask("GET", "/health/live").status, 200)  # the public listener requires none
            shutil.copy(self.path("other-authority.pem"), self.path("trusted.pem"))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: self.status_with(server, "of-another") == 200, "the reload")
            self.assertIsNone(self.status_with(server, "client"))
            self.write("trusted.pem", "none")
            server.process.send_signal(signal.SIGHUP)
            until(lambda: server.events("not reloaded: the previous values stay in effect"), "the refusal")
            self.assertEqual(self.status_with(server, "of-another"), 200)

    def test_kept_connections_end_with_their_authority(self):
        """Also one that was kept, one in the middle of a request or a handshake; not those of the public listener."""
        for name in ("authority", "other-authority"):
            self.make_certificate(f"{name}.pem", f"{name}.key")
        self.make_signed_certificate("client", "authority")
        shutil.copy(self.path("authority.pem"), self.path("trusted.pem"))
        with self.start("--manage-client-ca", self.path("trusted.pem"), tls=True) as server:
            context = ssl.create_default_context(cafile=self.path("certificate.pem"))
            context.check_hostname = False
            context.load_cert_chain(self.path("client.pem"), self.path("client.key"))

            def connect(port):
                return http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)

            headers = {"Authorization": f"Bearer {self.administrator}"} | {"Content-Type": "application/json"}
            kept, sending, public = connect(management_port(server)), connect(management_port(server)), connect(server.port)
            for connection, path in ((kept, "/manage/status"), (public, "/health/live")):
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                self.assertEqual((answer.status, answer.will_close), (200, False))
                answer.read()
            sending.putrequest("POST", "/manage/import")
            for name, value in (headers | {"Content-Length": "2", "Expect": "100-continue"}).items():
                sending.putheader(name, value)
            sending.endheaders()
            self.assertTrue(sending.sock.recv(100).startswith(b"HTTP/1.1 100 "))  # the request is being answered
            shaking = socket.create_connection(("127.0.0.1", management_port(server)), PATIENCE)
            shutil.copy(self.path("other-authority.pem"), self.path("trusted.pem"))
            server.process.send_signal(signal.SIGHUP)
            until(lambda: server.events("reloaded"), "the reload")
            with self.assertRaises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
                kept.request("GET", "/manage/status", headers=headers)
                kept.getresponse()
            with self.assertRaises((ssl.SSLError, ConnectionError)), context.wrap_socket(shaking) as shaken:
                shaken.sendall(f"GET /manage/status HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {self.administrator}\r\n\r\n".encode())
                if not shaken.recv(100):
                    raise ConnectionResetError
            sending.send(b"{}")
            answer = sending.getresponse()
            self.assertEqual((answer.status, answer.will_close), (200, True))
            answer.read()
            public.request("GET", "/health/live")
            self.assertEqual(public.getresponse().status, 200)
            for connection in (kept, sending, public):
                connection.close()

    def test_wrong_client_authorities(self):
        arguments = ("serve", "--store", "memory:", "--create", "--listen", "127.0.0.1:0", "--issuer", "i", "--audience", "a", "--jwks",
                     self.path("public.json"))
        tls = ("--tls-cert", self.path("certificate.pem"), "--tls-key", self.path("key.pem"))
        needs = "portail: --manage-client-ca needs --manage-listen, and TLS by --tls-cert and --tls-key"
        for flags in ((*tls,), ("--insecure-http", "--manage-listen", "127.0.0.1:0")):
            self.assert_one_line(run(*arguments, *flags, "--manage-client-ca", self.path("certificate.pem")), 2, needs)
        for name, part in (("absent.pem", "cannot read the TLS client authorities"), ("key.pem", "are not certificates: "),
                           ("public.json", "are not certificates: ")):
            self.assert_one_line(run(*arguments, *tls, "--manage-listen", "127.0.0.1:0", "--manage-client-ca", self.path(name)), 1, part,
                                 "--manage-client-ca")

    def test_a_call_moves_no_value(self):
        with self.start() as server:
            self.send(server, self.document())
            admin = [("Authorization", f"Bearer {self.administrator}")]
            tags = [server.ask("GET", path, admin)["ETag"] for path in ("/api/app/objet-courrier", "/api/app/liasse")]
            for target in ("status", "export", "audit", "check"):
                self.assertEqual(self.ask_raw(server, "GET", target)[0], 200)
            self.assertEqual([server.ask("GET", path, admin)["ETag"] for path in ("/api/app/objet-courrier", "/api/app/liasse")], tags)
            self.assertEqual(len(self.records(server, "?action=call")), 5)

    def test_an_import_removes_old_records(self):
        folder = self.path("retained")
        with self.start("--audit-retention", "1d", store=f"dir:{folder}") as server:
            self.assert_an_import_removes_old_records(server, folder)

    def test_a_smaller_template_file_leaves_no_part_of_a_larger_one(self):
        folder = pathlib.Path(self.path("parts"))

        def names(prefix):
            return sorted(path.name for path in folder.glob(f"{prefix}.*"))

        document = json.loads(pathlib.Path(self.document()).read_text(encoding="utf-8"))
        document["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "a.pdf", "chemin": "a.pdf", "type": "application/pdf"}
        with_file = self.written("with-file.json", json.dumps(document))
        with self.start(store=f"dir:{folder}") as server:
            for size, parts in ((5 * 1024 * 1024, 20), (300 * 1024, 2), (5, 1)):
                self.assertEqual(self.ask(server, "PUT", "template-files/1", b"a" * size)[0], 200)
                self.assertEqual(len(names("depot")), 1 + parts)
            self.assertEqual(self.send(server, with_file)[0], 200)
            self.assertEqual((names("depot"), names("modele")), ([], ["modele.1.0"]))
            # As a removal of an earlier version that was interrupted could leave them.
            (folder / "depot.1.1").write_bytes(b"a")
            self.assertEqual(self.ask(server, "PUT", "template-files/1", b"a" * 300 * 1024)[0], 200)
            self.assertEqual(self.send(server, with_file)[0], 200)
            self.assertEqual((names("depot"), names("modele")), ([], ["modele.1.0", "modele.1.1"]))
            self.assertEqual(self.send(server, self.document())[0], 200)
            self.assertEqual((names("depot"), names("modele")), ([], []))

    def test_a_lost_catalogue_is_written_again(self):
        folder = pathlib.Path(self.path("lost"))
        with self.start(store=f"dir:{folder}") as server:
            self.assertEqual(self.ask(server, "PUT", "template-files/2", b"one")[0], 200)
            self.assertEqual(self.import_with_file(server, "one"), (200, []))
            (folder / "catalogue.0").unlink()
            self.assertEqual(self.ask(server, "GET", "template-files/2")[0], 500, "not 404: it may have had one")
            self.assertEqual(self.ask(server, "PUT", "template-files/2", b"one")[0], 200)
            self.assertEqual(self.import_with_file(server, "one"), (200, []))
            self.assertEqual(self.ask(server, "GET", "template-files/2"), (200, b"one"))

    def test_nothing_is_answered_without_a_record(self):
        folder = self.path("recorded")
        with self.start(store=f"dir:{folder}") as server:
            self.assert_nothing_is_answered_without_a_record(server, folder)

    def test_its_audit_is_verified_also_after_an_erasure(self):
        with self.start() as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            self.assertEqual(self.ask(server, "PUT", "template-files/1", b"a template")[0], 200)
            self.assertEqual(self.ask(server, "PUT", "keys", pathlib.Path(self.public_keys).read_bytes(), {"Content-Type": "application/json"})[0], 200)
            self.assertEqual(self.ask_raw(server, "GET", "audit?subject=sub%2Dadmin&action=import")[0], 200)
            self.assertEqual(server.stop(), 0)
        verify = ("audit", "verify", "--store", server.store, "--json")
        chains = json.loads(must_run(*verify))["chains"]
        self.assertEqual([chains[name]["records"] for name in ("configuration", "grants", "calls")], [3, 0, 1])
        must_run("person", "erase", "--store", server.store, "sub-admin")
        report = json.loads(must_run(*verify))
        self.assertEqual((report["erasedRecords"], report["chains"]["calls"]["records"], report["faults"]), (4, 2, []))
        audit = self.native_audit(server).decode()
        self.assertNotIn("sub-admin", audit)
        self.assertRegex(audit, r'"query":"subject=erased-[0-9a-f]{16}&action=import"')
        self.assertNotIn("sub%2Dadmin", audit)

    def test_an_added_record_is_not_shown(self):
        folder = pathlib.Path(self.path("added"))
        name = f"audit.{int((time.time() - 3600) * 1e6):016}.0000000000000001"
        with self.start(store=f"dir:{folder}") as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            (folder / name).write_text('{"time":"2026-01-01T00:00:00.000000Z","action":"call","subject":"mallory","previous":null}', encoding="utf-8")
            self.assertEqual([record.get("action") for record in self.records(server)], ["import", "call", None])
            *records, last = self.records(server, "?action=call")
            self.assertEqual(([record["route"] for record in records], last), (["GET /manage/audit"] * 2, {"hidden": 1}))
            (folder / name).unlink()
            self.assertEqual([record["action"] for record in self.records(server)], ["import", "call", "call", "call"])

    def test_a_second_import_is_told_who_runs_the_first(self):
        store = self.path("locked")
        with self.start(store=f"lmdb:{store}") as server:
            self.send(server, self.document())
            with open(os.path.join(store, "import.lock"), "r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                status, answer = self.send(server, self.document())
                self.assertEqual(status, 409)
                self.assertIn("another import is running on", answer["error"]["message"])
                self.assertEqual(self.send(server, self.document(), "?dryRun=true")[0], 200)
            self.assertEqual(self.send(server, self.document())[0], 200)

    def test_a_change_of_keys_waits_for_an_import(self):
        store = self.path("locked-keys")
        with self.start(store=f"lmdb:{store}") as server:
            self.send(server, self.document())
            with open(os.path.join(store, "import.lock"), "r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                status, answer = self.ask(server, "PUT", "keys", pathlib.Path(self.public_keys).read_bytes(), JSON)
                self.assertEqual(status, 409)
                self.assertIn("another import is running on", answer["error"]["message"])
                self.assert_one_line(run("keys", "store", "--store", f"lmdb:{store}", self.public_keys), 1, "another import is running on")
            self.assertEqual(self.changes(server, "?action=keys"), [])
            self.assertEqual(self.ask(server, "PUT", "keys", pathlib.Path(self.public_keys).read_bytes(), JSON)[0], 200)

    def test_an_export_beside_imports_is_of_one_state(self):
        # Over one commit of an import, and over the buffer of an export.
        documents = [pathlib.Path(self.document(f"export-{user}.json", bundles=bundles, mail_objects=2, user=user)).read_bytes()
                     for user, bundles in (("sub-a", 2500), ("sub-b", 4000))]
        for kind in ("lmdb", "dir"):
            with self.start(store=f"{kind}:{self.path(f'exported-{kind}')}") as server:
                states = []
                for document in documents:
                    self.assertEqual(self.ask(server, "POST", "import?prune=true", document, {"Content-Type": "application/json"})[0], 200)
                    states.append(self.ask_raw(server, "GET", "export")[1])
                ended = threading.Event()
                imports = []

                def import_again():
                    while not ended.is_set():
                        imports.append(self.ask(server, "POST", "import?prune=true", documents[len(imports) % 2], {"Content-Type": "application/json"})[0])

                worker = Worker(import_again)
                worker.start()
                found = collections.Counter()
                while len(imports) < 8 or found.total() < 20:
                    with contextlib.suppress(http.client.IncompleteRead, ConnectionResetError):  # cut off
                        status, body = self.ask_raw(server, "GET", "export")
                        self.assertIn(status, (200, 409, 503), body)
                        if status == 200:
                            self.assertTrue(body in states, "a mixture")
                        found[status] += 1
                    output = self.path("beside.json")
                    done = run("export", "--store", server.store, "--output", output, "--overwrite")
                    if done.returncode == 0:
                        self.assertTrue(pathlib.Path(output).read_bytes() in states, "a mixture")
                    else:
                        self.assert_one_line(done, 1, "the export stopped: ")
                    found[done.returncode] += 1
                ended.set()
                worker.join()
                self.assertEqual(set(imports), {200})
                self.assertEqual(self.ask_raw(server, "GET", "export"), (200, states[(len(imports) - 1) % 2]))

    def test_a_template_file_expires(self):
        """A day after it was sent, or when another import has replaced the stored file."""
        folder = pathlib.Path(self.path("deposits"))
        with self.start(store=f"dir:{folder}") as server:
            for hours, sent, dropped, file in ((23, b"one", [], b"one"), (25, b"late", [2], b"one"), (23, b"two", [], b"two")):
                self.assertEqual(self.ask(server, "PUT", "template-files/2", sent)[0], 200)
                with Revision(folder).change():
                    head = folder / "depot.2.0"
                    size, digest, sent_at, replaced = head.read_text().split("\t")
                    self.assertLess(abs(int(sent_at) / 1e6 - time.time()), 3600)
                    head.write_text(f"{size}\t{digest}\t{int((time.time() - hours * 3600) * 1e6)}\t{replaced}")
                self.assertEqual(self.import_with_file(server, f"{hours} {sent}"), (200, dropped))
                self.assertEqual(self.ask(server, "GET", "template-files/2"), (200, file))
                self.assertEqual(list(folder.glob("depot.*")), [])
            self.assertEqual(self.ask(server, "PUT", "template-files/2", b"forgotten")[0], 200)
            document = pathlib.Path(self.document_with_file("three"))
            (document.parent / "rib.pdf").write_bytes(b"newer")
            must_run("import", "--store", server.store, str(document))
            status, report = self.send(server, self.document_with_file("four"), "?dryRun=true")
            self.assertEqual((status, report["droppedTemplateFiles"]), (200, [2]))
            status, report = self.send(server, self.document_with_file("four"), "?changes=true", self.ask_raw)
            self.assertEqual((status, json.loads(report.splitlines()[-1])["droppedTemplateFiles"]), (200, [2]))
            self.assertEqual(self.ask(server, "GET", "template-files/2"), (200, b"newer"))
            self.assertEqual(list(folder.glob("depot.*")), [])

    def test_changes_that_find_no_space(self):
        """The import is done, and the answer says so. The temporary files are in TMPDIR; if it is unset, in the folder of the store."""
        store, missing = self.path("no-space"), self.path("no-such-folder")
        remedy = "; set TMPDIR to one that this user may write to, with enough space"
        with self.start(store=f"dir:{store}", environment={"TMPDIR": missing}) as server:
            self.assertEqual(self.send(server, self.document())[0], 503)
            self.assertEqual(server.events("the temporary file of a management request cannot be used")[0]["detail"],
                             f"cannot write to the folder {missing}: No such file or directory{remedy}")
        with self.start(store=f"dir:{store}", environment={"TMPDIR": ""}) as server:
            many = self.document("many-changes.json", bundles=1500)
            self.assertEqual(self.send(server, many)[0], 200)
            few = self.document("few-changes.json", bundles=1)
            limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (96 << 10, resource.RLIM_INFINITY))  # like a full disk
            for query, removed in (("?prune=true&changes=true&dryRun=true", 1499), ("?prune=true&changes=true", 1499)):
                status, lines = self.send(server, few, query, self.ask_raw)
                self.assertEqual(status, 200, lines[:500])
                *changes, report = map(json.loads, lines.splitlines())
                self.assertEqual((report["sections"]["liasses"]["removed"], report["changesTruncated"]), (removed, True))
                self.assertTrue(0 < len(changes) < removed, len(changes))
                self.assertEqual({change["change"] for change in changes}, {"removed"})
            self.assertEqual(server.events("the temporary file of a management request cannot be used")[0]["detail"],
                             f"cannot write to the folder {store}: File too large{remedy}")
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
            self.assertEqual(self.ask(server, "GET", "check")[1]["bundles"], 1)
            *changes, report = map(json.loads, self.send(server, many, "?changes=true", self.ask_raw)[1].splitlines())
            self.assertEqual((len(changes), "changesTruncated" in report), (1499, False))

    def test_an_export_waits_for_an_import(self):
        """What a running import has written so far is not exported, what an interrupted one left is."""
        folder = pathlib.Path(self.path("unfinished"))
        with self.start(store=f"dir:{folder}") as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            whole = self.ask_raw(server, "GET", "export")[1]
            configuration = folder / "configuration"
            with Revision(folder).change():
                complete = configuration.read_bytes()
                self.assertEqual(complete.count(b"\tcomplete\t"), 1)
                configuration.write_bytes(complete.replace(b"\tcomplete\t", b"\tbegun\t"))
            with open(folder / "~import.lock", "r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                status, message = self.message(self.ask(server, "GET", "export"))
                self.assertEqual(status, 409)
                self.assertIn("another import is running on", message)
                for form in ("document", "json-lines"):
                    self.assert_one_line(run("export", "--store", server.store, "--format", form), 1,
                                         "the export stopped: another import is running on")
            self.assertEqual(self.ask_raw(server, "GET", "export"), (200, whole))
            self.assertEqual(must_run("export", "--store", server.store).encode(), whole)
            lock = folder / "config.import-lock"
            lock.write_text(f"0a\t{int((time.time() + 3600) * 1e6)}\t\"POST /manage/import by sub-a, correlation id 1f\"")
            self.assertEqual(self.ask(server, "GET", "export")[0], 409)
            self.assert_one_line(run("export", "--store", server.store), 1, "the export stopped: another import is running, or ended without a notice")

    def test_an_import_waits_for_that_of_a_host(self):
        """The lock of a host of WebAssembly over the same folder; of a program, it is what its end left."""
        folder = pathlib.Path(self.path("shared"))
        lock = folder / "config.import-lock"
        with self.start(store=f"dir:{folder}") as server:
            self.assertEqual(self.send(server, self.document())[0], 200)
            self.assertEqual(lock.read_bytes(), b"")
            until_later = int((time.time() + 3600) * 1e6)
            for held, importer in ((f"0a\t{until_later}\t\"POST /manage/import by sub-a, correlation id 1f\"", "; it is POST /manage/import by sub-a, "
                                                                                                             "correlation id 1f"),
                                   (f"0a\t{until_later}", "")):
                lock.write_text(held)
                message = rf"another import is running, or ended without a notice: wait until it ends, at the latest 20[^;]+Z{importer}"
                status, answer = self.send(server, self.document())
                self.assertEqual(status, 409)
                self.assertRegex(answer["error"]["message"], f"^{message}$")
                self.assertEqual(self.send(server, self.document(), "?dryRun=true")[0], 200)
                done = run("import", "--store", server.store, self.document())
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, f"^portail: {message}\n$")
                self.assertEqual(lock.read_text(), held)
            for held in (f"0a\t{int((time.time() - 1) * 1e6)}", f"program-0a\t{until_later}\t\"portail import by root, correlation id 2f\""):
                lock.write_text(held)
                self.assertEqual(self.send(server, self.document())[0], 200)
                self.assertEqual(lock.read_bytes(), b"")

    def test_the_end_of_the_program_interrupts_an_import(self):
        store = f"lmdb:{self.path('interrupted')}"
        bundles = 15_000 if os.environ.get("TEST_SANITIZE") else 150_000  # an import of some seconds
        document = pathlib.Path(self.document("many.json", bundles=bundles)).read_bytes()
        with self.start(store=store) as server:
            worker = Worker(self.ask_raw, server, "POST", "import", document, {"Content-Type": "application/json"})
            with contextlib.suppress(OSError, http.client.HTTPException):  # the connection may be cut off
                worker.start()
                until(lambda: self.ask(server, "GET", "status")[1]["lastImport"], "the record of the import")
                self.assertEqual(server.stop(), 0)
                worker.join()
        last = json.loads(must_run("audit", "--store", store, "--json", "--action", "import").splitlines()[-1])
        self.assertEqual((last["action"], last["finished"]), ("import", None))
        with self.start(store=store) as server:
            self.assertEqual(json.loads(self.ask_raw(server, "POST", "import", document, {"Content-Type": "application/json"})[1])["faultCount"], 0)
            self.assertEqual(self.ask(server, "GET", "check")[1]["bundles"], bundles)

    def test_a_newer_store_is_not_changed(self):
        store = self.path("newer")
        must_run("import", "--store", f"dir:{store}", self.document())
        with self.start(store=f"dir:{store}") as server:
            with Revision(store).change():
                pathlib.Path(store, "format").write_text("2")
            for method, target in (("PUT", "template-files/1"), ("GET", "export"), ("GET", "check")):
                status, message = self.message(self.ask(server, method, target, b"a" if method == "PUT" else None))
                self.assertEqual(status, 409)
                self.assertIn("version", message)
            self.assertEqual(self.ask(server, "GET", "status")[1]["format"], "newer")


if __name__ == "__main__":
    unittest.main()
