"""portail doctor: asks a running portal from outside; each fault makes one check fail, and has a remedy."""

import contextlib
import datetime
import http.client
import http.server
import json
import re
import ssl
import subprocess
import threading
import unittest

from support.program import PortailTest, Server, free_port, must_run, run, until
from support.valkey import Valkey

PERMISSION = "PortailClients.Dashboard.Host"


class Relay(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the portal at the server's `target` with the headers `added`, as a proxy does; `date` replaces its Date."""

    protocol_version = "HTTP/1.0"

    def do_GET(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.target)
        headers = {name: value for name, value in self.headers.items() if name in ("Authorization", "Accept-Language")}
        connection.request("GET", self.path, headers=headers | self.server.added)
        answer = connection.getresponse()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name not in ("Date", "Connection"):
                self.send_header(name, value)
        if self.server.date:
            self.send_header("Date", self.server.date)
        self.end_headers()
        self.wfile.write(answer.read())
        connection.close()

    def log_message(self, *_):
        pass


class Other(http.server.BaseHTTPRequestHandler):
    """Answers 404."""

    def do_GET(self):
        self.send_error(404)

    def log_message(self, *_):
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    """Reports no client that closes its connection."""

    def handle_error(self, *_):
        pass


@contextlib.contextmanager
def running(server):
    """Serves on a thread; yields the port."""
    with server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class DoctorTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_certificate("authority.pem", "authority.key", "-days", "2")
        cls.certify("localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        cls.certify("elsewhere", "subjectAltName=DNS:portal.elsewhere")

    @classmethod
    def certify(cls, name, extension):
        cls.make_signed_certificate(name, "authority", extension)

    def serve(self, *flags, certificate="localhost", **options):
        files = ["--tls-cert", self.path(f"{certificate}.pem"), "--tls-key", self.path(f"{certificate}.key")]
        return OwnCertificate(files, self.folder, "--store", "memory:", "--import", self.document(), *flags, **options)

    def serve_plainly(self, *flags, **options):
        return Server(self.folder, "--store", "memory:", "--import", self.document(), "--insecure-http", *flags, tls=False, **options)

    @contextlib.contextmanager
    def relay(self, server, date=None, **added):
        relay = QuietServer(("127.0.0.1", 0), Relay)
        relay.target, relay.date, relay.added = server.port, date, added
        with running(relay) as port:
            yield port

    def ask(self, url, *flags, token=None, **options):
        """Returns the checks of the report; it agrees with the exit status and the table."""
        arguments = [url, "--ca-file", self.path("authority.pem"), *flags]
        if token:
            arguments += ["--token", self.write("token", token + "\n")]
        done = run("doctor", *arguments, "--json", **options)
        report = json.loads(done.stdout)
        checks = report["checks"]
        failed = [name for name, check in checks.items() if check["status"] == "failed"]
        self.assertEqual(done.returncode, 1 if failed else 0, done.stderr)
        self.assertEqual(done.stderr, f"portail: failed: {', '.join(failed)}\n" if failed else "")
        self.assertEqual(report["status"] == "failed", bool(failed))
        for name, check in checks.items():
            self.assertEqual(sorted(check), ["detail", "remedy", "status"])
            self.assertEqual(check["remedy"] is None, check["status"] == "ok", name)
        if token and token.count(".") == 2 and len(token) > 100:
            self.assertNotIn(token.rsplit(".", 1)[1], done.stdout + done.stderr, "the signature")
        return checks

    def assert_only(self, checks, name, detail, remedy):
        """Only this check failed."""
        self.assertEqual({each for each, check in checks.items() if check["status"] == "failed"}, {name}, checks)
        self.assertIn(detail, checks[name]["detail"])
        self.assertIn(remedy, checks[name]["remedy"])

    def test_authorities_that_cannot_be_read(self):
        for name, line in ((self.path("none.pem"), f"cannot read {self.path('none.pem')}"),
                           (self.write("empty.pem", ""), f"--ca-file: {self.path('empty.pem')} has no certificate in PEM"),
                           (self.write("no_pem.json", "{}"), f"--ca-file: {self.path('no_pem.json')} has no certificate in PEM")):
            done = run("doctor", f"https://localhost:{free_port()}", "--ca-file", name)
            self.assertNotEqual(done.returncode, 0)
            self.assertTrue(done.stderr.startswith(f"portail: {line}"), done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_healthy_portal(self):
        with self.serve() as server:
            token = self.token("sub-client", "--permission", PERMISSION)
            checks = self.ask(f"https://localhost:{server.port}", "--permission", PERMISSION, token=token)
            table = run("doctor", f"https://localhost:{server.port}", "--ca-file", self.path("authority.pem")).stdout
        self.assertEqual(list(checks), ["address", "tls", "portal", "clock", "store", "keys", "transport", "token", "permissions"])
        self.assertEqual({check["status"] for name, check in checks.items() if name != "tls"}, {"ok"})
        self.assertEqual(checks["tls"]["status"], "warning")  # it expires in two days
        self.assertRegex(checks["tls"]["detail"], r"^TLSv1\.3, certificate valid until \d{4}-\d\d-\d\d, [12] days left$")
        self.assertRegex(checks["token"]["detail"],
                         '^alg "EdDSA", kid "test", iss "https://issuer.test", aud "portail", expires in 3[56]\\d\\d s$')
        self.assertEqual(checks["permissions"]["detail"], PERMISSION)
        self.assertEqual(checks["transport"]["detail"], "https ends at the portal")
        lines = [" ".join(line.split()) for line in table.splitlines()]
        self.assertEqual(lines[0], f"address ok 127.0.0.1:{server.port}")
        self.assertEqual([line.split()[0] for line in lines if line.split()[1] == "ok"],
                         ["address", "portal", "clock", "store", "keys", "transport"])

    def test_nothing_listens(self):
        self.assert_only(self.ask(f"http://127.0.0.1:{free_port()}"), "address", "Connection refused", "systemctl status portail")

    def test_an_unknown_name(self):
        self.assert_only(self.ask("https://portal.invalid"), "address", "portal.invalid: ", "getent hosts portal.invalid")

    def test_a_certificate_for_another_name(self):
        with self.serve(certificate="elsewhere") as server:
            self.assert_only(self.ask(f"https://localhost:{server.port}"), "tls", "the certificate is not for localhost",
                             "serve a certificate for this name")

    def test_an_untrusted_certificate(self):
        with self.serve() as server:
            done = run("doctor", f"https://localhost:{server.port}", "--json")
            self.assertEqual(done.returncode, 1)
            check = json.loads(done.stdout)["checks"]["tls"]
            self.assertIn("the certificate is not trusted: ", check["detail"])
            self.assertIn("--ca-file", check["remedy"])

    def test_an_expired_certificate(self):
        self.certify_for_the_past()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("past.pem"), self.path("past.key"))
        peer = QuietServer(("127.0.0.1", 0), Relay)  # the portal itself refuses to start with it
        peer.socket = context.wrap_socket(peer.socket, server_side=True)
        with running(peer) as port:
            checks = self.ask(f"https://localhost:{port}")
        self.assert_only(checks, "tls", "the certificate expired on 2021-01-02", "systemctl reload portail")

    @classmethod
    def certify_for_the_past(cls):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                        "-not_before", "20210101000000Z", "-not_after", "20210102000000Z", "-keyout", cls.path("past.key"), "-out",
                        cls.path("past.pem")], check=True, capture_output=True)

    def test_not_tls(self):
        with self.serve_plainly() as server:
            checks = self.ask(f"https://127.0.0.1:{server.port}")
            self.assert_only(checks, "tls", "no handshake: ", "give an http URL")
            self.assertEqual(checks["address"]["status"], "ok")

    def test_plain_http_to_a_portal_with_tls(self):
        with self.serve() as server:
            self.assert_only(self.ask(f"http://localhost:{server.port}"), "transport", "the portal serves https only on this port",
                             f"https://localhost:{server.port}/")

    def test_plain_http_that_the_portal_refuses(self):
        with self.serve_plainly("--transport", "forwarded", "--trusted-proxy", "192.0.2.7") as server:
            self.assert_only(self.ask(f"http://127.0.0.1:{server.port}"), "transport", "did not receive the request over HTTPS",
                             "Send it over HTTPS. If a proxy ends TLS, set `transport` to forwarded")

    def test_a_proxy(self):
        with self.serve_plainly("--transport", "forwarded", "--trusted-proxy", "127.0.0.1") as server:
            with self.relay(server, date=http_date(0), **{"X-Forwarded-Proto": "https"}) as port:
                checks = self.ask(f"http://127.0.0.1:{port}", token=self.token())
                self.assertEqual({check["status"] for check in checks.values()}, {"ok"}, checks)
                self.assertEqual(checks["permissions"]["detail"], "none")

    def test_not_a_portal(self):
        with running(QuietServer(("127.0.0.1", 0), Other)) as port:
            checks = self.ask(f"http://127.0.0.1:{port}")
        self.assert_only(checks, "portal", "/health/live answers 404, not as a portal", "Check host and port")

    def test_a_wrong_clock(self):
        with self.serve_plainly("--transport", "loopback") as server:
            for seconds, status, detail in ((3600, "failed", "s ahead of this machine's"), (-3600, "failed", "s behind this machine's"),
                                            (-30, "warning", "s behind this machine's")):
                with self.relay(server, date=http_date(seconds)) as port:
                    check = self.ask(f"http://127.0.0.1:{port}")["clock"]
                    self.assertEqual(check["status"], status, check)
                    self.assertIn(detail, check["detail"])
                    self.assertIn("timedatectl", check["remedy"])
            with self.relay(server) as port:
                self.assertEqual(self.ask(f"http://127.0.0.1:{port}")["clock"]["detail"], "the answer has no Date")

    def test_a_store_that_is_away(self):
        with Valkey() as valkey:
            must_run("import", "--store", valkey.url, self.document())
            with Server(self.folder, "--store", valkey.url, "--insecure-http", "--transport", "loopback", tls=False) as server:
                valkey.stop()
                url = f"http://127.0.0.1:{server.port}"
                self.assert_only(self.ask(url), "store", "not usable: requests get 503", "portail check")
                checks = self.ask(url, token=self.token())
                self.assertEqual(checks["token"]["detail"], "503: the portal cannot verify it now")
                refused = server.ask("GET", "/api/app/liasse", [self.bearer()])
                self.assertEqual(refused.status, 503)
                said = until(lambda: (done := run("explain", refused["X-Correlation-Id"], stdin=server.log())).returncode == 0 and done.stdout,
                             "the line")
                self.assertIn("reason           The store is unavailable\n", said)
                self.assertRegex(said, r"\nwarning          \S+Z store: (no session|a read failed): ")

    def test_no_usable_key(self):
        with self.serve_plainly("--transport", "loopback", jwks=self.write("none.json", '{"keys":[]}')) as server:
            self.assert_only(self.ask(f"http://127.0.0.1:{server.port}"), "keys", "not usable: requests get 503", "portail check")

    def test_refused_tokens(self):
        must_run("keys", "make", "--output", self.path("other.json"), "--kid", "other")
        other = must_run("token", "--keys", self.path("other.json"), "--issuer", "https://issuer.test", "--audience", "portail", "--subject",
                         "sub-client").strip()
        with self.serve_plainly("--transport", "loopback") as server:
            for token, detail, remedy in (
                    (self.token("sub-client", "--lifetime", "-120"), "401: The token has expired (", "Request a new token."),
                    (other, '401: The token\'s key (kid) is not known here (alg "EdDSA", kid "other", ', "portail keys show"),
                    (self.token("sub-client", "--claim", 'iss="https://elsewhere.test"'), "401: The token's issuer (iss) is not the expected one",
                     "portail check --token -"),
                    ("no.such.token", "401: The token's header is not base64url (", "Send the provider's access token unchanged")):
                with self.subTest(detail):
                    self.assert_only(self.ask(f"http://127.0.0.1:{server.port}", token=token), "token", detail, remedy)
            check = self.ask(f"http://127.0.0.1:{server.port}", token=self.token("sub-client", "--lifetime", "-120"))["token"]
            self.assertRegex(check["detail"], r"expired 1[2-9]\d s ago\)$")
            [correlation_id] = re.findall(r" With the log, `portail explain ([0-9a-f]{32})` says more\.$", check["remedy"])
            said = until(lambda: (done := run("explain", correlation_id, stdin=server.log())).returncode == 0 and done.stdout, "the line")
            self.assertIn("reason           The token has expired\n", said)

    def test_a_missing_permission(self):
        with self.serve_plainly("--transport", "loopback") as server:
            checks = self.ask(f"http://127.0.0.1:{server.port}", "--permission", PERMISSION, token=self.token())
            self.assert_only(checks, "permissions", f"missing: {PERMISSION}", "Grant it in `droits`")

    def test_a_token_goes_over_https_only(self):
        done = run("doctor", f"http://portal.invalid:{free_port()}", "--token", self.write("token", self.token()), "--json")
        self.assertNotIn("token", json.loads(done.stdout)["checks"])

    def test_a_token_on_standard_input(self):
        with self.serve_plainly("--transport", "loopback") as server:
            checks = self.ask(f"http://127.0.0.1:{server.port}", "--token", "-", stdin=self.token() + "\n")
            self.assertEqual(checks["token"]["status"], "ok")

    def test_usage(self):
        for flags, part in ((["portal.example"], "the URL must be an http or https URL without a path, not portal.example"),
                            (["https://portal.example/api"], "without a path"),
                            (["https://portal.example", "--permission", "x"], "--permission: unknown permission x"),
                            (["https://portal.example", "--permission", PERMISSION], "--permission needs --token"),
                            (["https://portal.example", "--token", self.write("two", "a b")], "does not contain one token")):
            self.assert_one_line(run("doctor", *flags), 2, part)


class OwnCertificate(Server):
    """A server with other TLS files than those of the test's folder."""

    def __init__(self, files, *arguments, **options):
        self.files = files
        super().__init__(*arguments, **options)

    def settings(self, folder, jwks):
        self.tls = False
        flags = super().settings(folder, jwks)
        self.tls = True
        return [*flags, *self.files]


def http_date(seconds):
    """Returns the Date of `seconds` from now."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%a, %d %b %Y %H:%M:%S GMT")


if __name__ == "__main__":
    unittest.main()
