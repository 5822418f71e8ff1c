"""The commands with --to, which use the management interface of a running portal instead of a store."""

import json
import pathlib
import ssl
import unittest

from support.connect_proxy import ConnectProxy
from support.management import management_port
from support.program import PortailTest, Server, must_run, run

from http_server import Handler, HttpServer, tls_context  # in tests/support, which support.program adds to the path
from key_provider import KeyProvider
from management import ADMINISTRATION, FIXTURES


class Refusing(HttpServer):
    """A server that answers `statuses` one after the other, and then the last one; counts the requests. It refuses Expect."""

    def __init__(self, *statuses, **headers):
        self.requests = []
        outer, remaining = self, list(statuses)

        class PostHandler(Handler):
            protocol_version = "HTTP/1.1"

            def handle_expect_100(self):
                self.send(417)
                return False

            def do_POST(self):
                outer.requests.append(self.path)
                self.rfile.read(int(self.headers["Content-Length"]))
                status = remaining.pop(0) if len(remaining) > 1 else remaining[0]
                self.send(status, b'{"dryRun":false,"sections":{"tiers":{"added":1,"changed":0,"unchanged":0,"removed":0}},"deposits":0}'
                          if status == 200 else b'{"error":{"message":"the reason"}}', **(headers or {"X-Correlation-Id": "1"}))

        super().__init__(PostHandler)


class Answering(HttpServer):
    """A proxy that answers each request itself, with `status` and its own page, without reading the body."""

    def __init__(self):
        self.status = 0
        outer = self

        class PageHandler(Handler):
            def version_string(self):
                return "nginx/1.26.3"

            def do_POST(self):
                self.send(outer.status, b"<html><h1>proxy</h1></html>")

            do_GET = do_PUT = do_POST

        super().__init__(PageHandler)


class RemoteTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.token_file = cls.write("token", cls.token("sub-admin", *ADMINISTRATION) + "\n")

    def serve(self, name, *flags):
        server = Server(self.folder, "--store", f"lmdb:{self.path(name)}", "--create", "--manage-listen", "127.0.0.1:0", "--insecure-http", *flags,
                        tls=False)
        server.store = f"lmdb:{self.path(name)}"
        return server

    def send(self, server, *arguments, token_file=None):
        return run("import", "--to", f"http://127.0.0.1:{management_port(server)}", "--token-file", token_file or self.token_file, *arguments)

    def exported(self, store, name):
        must_run("export", "--store", store, "--output", self.path(f"{name}/portail.json"), "--overwrite")
        return {path.relative_to(self.path(name)): path.read_bytes() for path in pathlib.Path(self.path(name)).rglob("*") if path.is_file()}

    def test_the_result_is_that_of_an_import_into_the_store(self):
        must_run("import", "--store", f"lmdb:{self.path('local')}", FIXTURES / "portail.json")
        pathlib.Path(self.path("a")).mkdir()
        pathlib.Path(self.path("b")).mkdir()
        with self.serve("remote") as server:
            done = self.send(server, FIXTURES / "portail.json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.splitlines()[:3], ["objetsCourrier   40 added, 0 changed, 0 unchanged, 0 removed",
                                                            "tiers            200 added, 0 changed, 0 unchanged, 0 removed",
                                                            "liasses          1000 added, 0 changed, 0 unchanged, 0 removed"])
            again = self.send(server, "--json", FIXTURES / "portail.json")
            self.assertEqual(json.loads(again.stdout)["sections"]["liasses"], {"added": 0, "changed": 0, "unchanged": 1000, "removed": 0})
            local, remote = self.exported(f"lmdb:{self.path('local')}", "a"), self.exported(server.store, "b")
            self.assertEqual(len(local), 7)  # with six template files
            self.assertEqual(local, remote)

    def test_a_large_document_is_sent_in_parts(self):
        document = json.loads(pathlib.Path(self.document("large.json", bundles=8_000)).read_text(encoding="utf-8"))
        document["droits"] = [{"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}]
        document["liasses"][0]["piecesAttendues"][0]["statut"] = "\u00c0 v\u00e9rifier \"1\""
        document["liasses"][-1]["piecesAttendues"][0]["statut"] = "A\u0300 ve\u0301rifier \"1\""
        reversed_order = {name: document[name] for name in ("droits", "liasses", "tiers", "objetsCourrier")}
        path = self.write("large.json", json.dumps(reversed_order))
        with self.serve("parts") as server:
            done = self.send(server, "--part-size", "1", "--json", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            report = json.loads(done.stdout)
            self.assertEqual({name: counts["added"] for name, counts in report["sections"].items()},
                             {"objetsCourrier": 3, "tiers": 1, "liasses": 8000, "droits": 1})
            self.assertEqual(report["unknownStatuses"], [{"status": "\u00c0 v\u00e9rifier \"1\"", "pieces": 2}], "one status, composed or not")
            records = [json.loads(line) for line in must_run("audit", "--store", server.store, "--json", "--action", "import").splitlines()]
            bundles = [record["sections"]["liasses"]["added"] for record in records if record["sections"]["liasses"]]
            self.assertGreater(len(bundles), 2)
            self.assertEqual(sum(bundles), 8000)
            for flag in ("--prune", "--dry-run"):
                self.assert_one_line(self.send(server, "--part-size", "1", flag, path), 2, "--prune and --dry-run need the document in one part")
            self.assertEqual(self.send(server, "--dry-run", path).returncode, 0)

    def test_faults_are_reported(self):
        with self.serve("faults") as server:
            done = self.send(server, self.write("bad.json", '{"tiers":[{}],"liasses":[]}'))
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.splitlines()[0], "tiers[0].numeroTiers: missing")
            self.assertIn("5 faults in ", done.stderr.splitlines()[-1])
            missing = self.write("missing.json", json.dumps({"objetsCourrier": [{
                "id": 1, "typeObjet": "A", "description": "", "utilisablePourLiasse": True, "typeAffectation": "Rien",
                "fichierModele": {"nomFichier": "a.pdf", "chemin": "absent.pdf", "type": "application/pdf"}}]}))
            self.assert_one_line(self.send(server, missing), 1, "absent.pdf: no such file")

    def test_what_is_refused(self):
        with self.serve("refused", "--manage-max-document", "1") as server:
            client = self.write("client", self.token())
            self.assert_one_line(self.send(server, self.document(), token_file=client), 1, "answers 403", "PortailClients.Administration")
            self.assert_one_line(self.send(server, self.document(), token_file=self.write("nonsense", "abc")), 1, "answers 401")
            self.assert_one_line(self.send(server, self.document(), token_file=self.write("empty", " \n")), 2, "no token: give --token-file")
            self.assert_one_line(self.send(server, "--part-size", "0", self.document()), 2, "--part-size must be 1 to 4096 MiB, not 0")
            large = self.document("over.json", bundles=4_000)
            self.assert_one_line(self.send(server, large), 1, "the portal refuses with 413: the document is larger than 1048576 bytes")
        for url in ("http://192.0.2.1", "https://portal.example/manage", "ftp://127.0.0.1", "portal"):
            self.assert_one_line(run("import", "--to", url, "--token-file", self.token_file, self.document()), 2, "--to must be an https URL without a path")

    def test_a_proxy_before_the_portal(self):
        """It is named, and what its operator must do."""
        document = self.document()
        size = len(self.read("portail.json").encode())
        passed = "let it pass /manage/ on to the management interface, or give --to the address of that"
        with Answering() as proxy:
            for status, remedy in (
                    (413, f"let it accept bodies of {size} bytes (nginx: client_max_body_size), or lower --part-size"),
                    (502, "check that the portal runs, and at which address the proxy expects it (nginx: proxy_pass)"),
                    (504, "let it wait longer (nginx: proxy_read_timeout); the portal may still process the request"),
                    (400, "see its log; it may need https, or a certificate (--client-cert)"), (429, "see its log"),
                    (401, "it demands authentication itself, or refuses this address"), (403, "it demands authentication itself, or refuses this address"),
                    (408, "let it wait longer for a body (nginx: client_body_timeout)"), (200, passed), (302, passed), (404, passed)):
                with self.subTest(status):
                    proxy.status = status
                    done = run("import", "--to", proxy.url, "--token-file", self.token_file, document)
                    self.assertEqual((done.returncode, done.stderr), (1, f"portail: 127.0.0.1:{proxy.port}: a proxy (nginx/1.26.3) answers {status} "
                                                                         f"instead of the portal; {remedy}\n"))
            proxy.status = 200
            for command in (["keys", "store", self.path("public.json")], ["audit"], ["status"], ["export"]):
                done = run(*command, "--to", proxy.url, "--token-file", self.token_file)
                self.assert_one_line(done, 1, f"a proxy (nginx/1.26.3) answers 200 instead of the portal; {passed}")
            proxy.status = 413
            done = run("import", "--to", proxy.url, "--token-file", self.token_file, "--prune", document)
            self.assertRegex(done.stderr, r"client_max_body_size\)\n$")
            # Before a body that curl's library announces by Expect.
            proxy.status = 413
            done = run("import", "--to", proxy.url, "--token-file", self.token_file, self.document("announced.json", bundles=8_000))
            self.assert_one_line(done, 1, "a proxy (nginx/1.26.3) answers 413 instead of the portal; let it accept bodies of ")

    def test_a_proxy_that_removes_headers(self):
        for status, result in ((200, (0, "")), (400, (1, "portail: the portal refuses with 400: the reason\n"))):
            with self.subTest(status), Refusing(status, **{"Content-Type": "application/json"}) as portal:
                done = run("import", "--to", portal.url, "--token-file", self.token_file, self.document())
                self.assertEqual((done.returncode, done.stderr), result)

    def test_a_peer_that_refuses_expect(self):
        with Refusing(200) as portal:
            done = run("import", "--to", portal.url, "--token-file", self.token_file, self.document("expected.json", bundles=8_000))
            self.assertEqual((done.returncode, done.stderr, portal.requests), (0, "", ["/manage/import"]))

    def test_a_proxy_over_tls_gets_no_certificate_of_the_client(self):
        self.make_certificate("named.pem", "named.key", "-days", "2", "-addext", "subjectAltName=DNS:manage.test,DNS:localhost")
        self.make_certificate("authority.pem", "authority.key")
        self.make_signed_certificate("client", "authority")
        context = tls_context(self.path("named.pem"), self.path("named.key"))
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(self.path("authority.pem"))
        store = f"lmdb:{self.path('named')}"
        must_run("import", "--store", store, self.document())
        server = Server(self.folder, "--store", store, "--manage-listen", "127.0.0.1:0", "--tls-cert",
                        self.path("named.pem"), "--tls-key", self.path("named.key"), "--manage-client-ca", self.path("authority.pem"), tls=False)
        with server, ConnectProxy(management_port(server), context) as proxy:
            done = run("check", "--to", "https://manage.test", "--token-file", self.token_file, "--client-cert", self.path("client.pem"), "--client-key",
                       self.path("client.key"), environment={"HTTPS_PROXY": f"https://localhost:{proxy.port}", "SSL_CERT_FILE": self.path("named.pem")})
            self.assertEqual((done.returncode, done.stderr, proxy.certificates), (0, "", [None]))

    def test_a_certificate_of_the_client(self):
        self.make_certificate("https.pem", "https.key", "-days", "2", "-addext", "subjectAltName=IP:127.0.0.1")
        self.make_certificate("authority.pem", "authority.key")
        self.make_signed_certificate("client", "authority")
        server = Server(self.folder, "--store", f"lmdb:{self.path('certificate')}", "--create", "--manage-listen", "127.0.0.1:0", "--tls-cert",
                        self.path("https.pem"), "--tls-key", self.path("https.key"), "--manage-client-ca", self.path("authority.pem"), tls=False)
        with server:
            to = ("--to", f"https://127.0.0.1:{management_port(server)}", "--token-file", self.token_file, "--ca-file", self.path("https.pem"))
            certificate = ("--client-cert", self.path("client.pem"), "--client-key", self.path("client.key"))
            done = run("import", *to, *certificate, self.document())
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            chain = self.write("chain.pem", self.read("authority.pem") + self.read("client.pem"))  # its own certificate is that of the key
            for file in (self.path("client.pem"), chain):
                self.assertEqual(json.loads(must_run("check", *to, "--client-cert", file, *certificate[2:], "--json"))["bundles"], 2)
            self.assert_one_line(run("status", *to), 1, "127.0.0.1", "does not answer")
            self.assert_one_line(run("status", *to, *certificate[:2]), 2, "--client-cert and --client-key must be given together")
            self.assert_one_line(run("status", *to, *certificate[:3], self.path("https.key")), 1, "no certificate of", "is of the key",
                                 "--client-key")
            self.assert_one_line(run("status", *to, "--client-cert", self.path("absent"), "--client-key", self.path("client.key")), 1,
                                 "cannot read the TLS certificate", "--client-cert")
        self.assert_one_line(run("status", "--to", "http://127.0.0.1:1", "--token-file", self.token_file, *certificate), 2,
                             "--client-cert needs an https URL")

    def test_the_token_of_the_environment(self):
        with self.serve("environment") as server:
            token = pathlib.Path(self.token_file).read_text(encoding="ascii")
            done = run("import", "--to", f"http://127.0.0.1:{management_port(server)}", self.document(), environment={"PORTAIL_TOKEN": token})
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_document_of_a_url(self):
        self.document()
        with self.serve("url") as server, KeyProvider() as provider:
            provider.documents["/portail.json"] = self.read("portail.json").encode()
            done = self.send(server, f"{provider.url}/portail.json")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("2 added", done.stdout)

    def remote(self, server, *arguments):
        return run(*arguments, "--to", f"http://127.0.0.1:{management_port(server)}", "--token-file", self.token_file)

    def test_the_other_commands(self):
        must_run("import", "--store", f"lmdb:{self.path('others')}", FIXTURES / "portail.json")
        with self.serve("others") as server:
            pathlib.Path(self.path("c")).mkdir()
            pathlib.Path(self.path("d")).mkdir()
            done = self.remote(server, "export", "--output", self.path("c/portail.json"))
            self.assertEqual((done.returncode, done.stderr), (0, f"portail: wrote {self.path('c/portail.json')} and 6 template files beneath "
                                                                 f"{self.path('c')}\n"))
            exported = {path.relative_to(self.path("c")): path.read_bytes() for path in pathlib.Path(self.path("c")).rglob("*") if path.is_file()}
            self.assertEqual(exported, self.exported(server.store, "d"))
            self.assertEqual(self.remote(server, "export").stdout, self.read("c/portail.json"))
            self.assert_one_line(self.remote(server, "export", "--format", "redis", "--output", self.path("x")), 2, "exports the document only")

            self.assertEqual(self.remote(server, "keys", "store", self.path("public.json")).stdout, "1 usable key stored\n")
            private = self.remote(server, "keys", "store", self.path("keys.json"))
            self.assert_one_line(private, 1, "has private members, which must not be stored")
            self.assertEqual(self.remote(server, "audit", "--json").stdout, must_run("audit", "--store", server.store, "--json"))
            only = ("audit", "--action", "keys", "--subject", "sub-admin", "--since", "2000-01-01T00:00:00+01:00")
            self.assertEqual(self.remote(server, *only).stdout, must_run(*only, "--store", server.store))
            self.assertEqual(len(self.remote(server, *only).stdout.splitlines()), 1)
            self.assert_one_line(self.remote(server, "audit", "--prune"), 2, "leave out --to")

            state = json.loads(self.remote(server, "check", "--json").stdout)
            self.assertEqual((state["format"], state["bundles"], state["usableKeys"]), ("current", 1000, 1))
            self.assertRegex(self.remote(server, "check").stdout, r"(?m)^bundles +1000$")
            status = self.remote(server, "status").stdout
            self.assertRegex(status, r"(?m)^format +current$")
            self.assertRegex(status, r"(?m)^lastImport +\S+Z  import  system user ")

    def test_an_added_audit_record_is_not_shown(self):
        folder = pathlib.Path(self.path("added"))
        must_run("import", "--store", f"dir:{folder}", self.document())
        flags = ("--create", "--manage-listen", "127.0.0.1:0", "--insecure-http")
        with Server(self.folder, "--store", f"dir:{folder}", *flags, tls=False) as server:
            (folder / "audit.0000000000000001.0000000000000001").write_text('{"action":"call","previous":null}', encoding="utf-8")
            done = self.remote(server, "audit", "--action", "import")
            self.assertEqual((done.returncode, len(done.stdout.splitlines()), done.stderr),
                             (1, 1, "portail: 1 record is in no chain, and not shown: portail audit verify names them\n"))

    def test_a_portal_that_is_unavailable_is_asked_again(self):
        with Refusing(503, 503, 200) as portal:
            done = run("import", "--to", portal.url, "--token-file", self.token_file, self.document())
            self.assertEqual((done.returncode, done.stderr, portal.requests), (0, "", ["/manage/import"] * 3))
        with Refusing(409) as portal:
            done = run("import", "--to", portal.url, "--token-file", self.token_file, self.document())
            self.assert_one_line(done, 1, "the portal refuses with 409: the reason")
            self.assertEqual(len(portal.requests), 1)


if __name__ == "__main__":
    unittest.main()
