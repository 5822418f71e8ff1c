"""portail check URL: asks a running portal from outside; each fault makes one check fail, and has a remedy."""

import contextlib
import datetime
import http.client
import json
import re
import unittest

from support.connect_proxy import ConnectProxy
from support.program import AUDIENCE, ISSUER, PortailTest, Server, free_port, must_run, run, until
from support.valkey import Valkey

from http_server import Handler, HttpServer  # in tests/support, which support.program adds to the path
from key_provider import KeyProvider

PERMISSION = "PortailClients.Dashboard.Host"


class Relay(Handler):
    """Passes requests on to the portal at the server's `target` with the headers `added`, as a proxy does; `date` replaces its Date."""

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


class CheckPortalTest(PortailTest):
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
        with HttpServer(Relay) as relay:
            relay.server.target, relay.server.date, relay.server.added = server.port, date, added
            yield relay.port

    def ask(self, url, *flags, token=None):
        """Returns the checks of the report; they agree with the exit status and the lines on standard error."""
        arguments = [url, "--ca-file", self.path("authority.pem"), *flags]
        if token is not None:
            arguments += ["--token", "-"]
        done = run("check", *arguments, "--json", stdin=f"{token}\n")
        report = json.loads(done.stdout)
        checks = report["checks"]
        failed = [f"portail: {name}: {check['detail']}\n" for name, check in checks.items() if check["status"] == "failed"]
        self.assertEqual((done.returncode, done.stderr), (1 if failed else 0, "".join(failed[1:] + failed[:1])))
        self.assertEqual(report["status"] == "failed", bool(failed))
        for name, check in checks.items():
            self.assertEqual(check["remedy"] is None, check["status"] == "ok", name)
        if token and token.count(".") == 2 and len(token) > 100:
            self.assertNotIn(token.rsplit(".", 1)[1], done.stdout + done.stderr, "the signature")
        return checks

    def assert_only(self, checks, name, detail, remedy):
        """Only this check failed."""
        self.assertEqual({each for each, check in checks.items() if check["status"] == "failed"}, {name}, checks)
        self.assertIn(detail, checks[name]["detail"])
        self.assertIn(remedy, checks[name]["remedy"])

    def test_a_portal_with_tls(self):
        with self.serve() as server:
            url = f"https://localhost:{server.port}"
            token = self.token("sub-client", "--permission", PERMISSION)
            checks = self.ask(url, "--permission", PERMISSION, token=token)
            table = run("check", url, "--ca-file", self.path("authority.pem")).stdout
            untrusted = run("check", url, "--json")
            self.assert_only(self.ask(f"http://localhost:{server.port}"), "transport", "the portal serves https only on this port", f"{url}/")
        self.assertEqual(list(checks), ["address", "tls", "portal", "clock", "portal store", "portal keys", "transport", "portal token",
                                        "permissions"])
        self.assertEqual({check["status"] for name, check in checks.items() if name != "tls"}, {"ok"})
        self.assertEqual(checks["tls"]["status"], "warning")  # it expires in two days
        self.assertRegex(checks["tls"]["detail"], r"^TLSv1\.3, certificate valid until \d{4}-\d\d-\d\d, [12] days left$")
        self.assertRegex(checks["portal token"]["detail"],
                         '^alg "EdDSA", kid "test", iss "https://issuer.test", aud "portail", expires in 3[56]\\d\\d s$')
        self.assertEqual(checks["permissions"]["detail"], PERMISSION)
        self.assertEqual(checks["transport"]["detail"], "https ends at the portal")
        lines = table.splitlines()
        self.assertEqual(lines[0], f"address          ok      127.0.0.1:{server.port}")
        self.assertEqual([line[:17].strip() for line in lines if line[17:24] == "ok     "],
                         ["address", "portal", "clock", "portal store", "portal keys", "transport"])
        self.assertIn(" " * 25 + "Renew the certificate, and run `systemctl reload portail`.", lines)
        self.assertEqual(untrusted.returncode, 1)
        check = json.loads(untrusted.stdout)["checks"]["tls"]
        self.assertIn("the certificate is not trusted: ", check["detail"])
        self.assertIn("--ca-file", check["remedy"])

    def test_the_settings_and_the_portal(self):
        store = f"lmdb:{self.path('store')}"
        must_run("import", "--store", store, self.document())
        settings = ("--store", store, *self.accepting())
        with Server(self.folder, "--store", store, "--insecure-http", "--transport", "loopback", tls=False) as server:
            done = run("check", f"http://127.0.0.1:{server.port}", *settings, "--token", self.token(), "--json")
            refused = run("check", f"http://127.0.0.1:{server.port}", *settings, "--token", self.token("sub-client", "--lifetime", "-120"))
            variable = run("check", f"http://127.0.0.1:{server.port}", "--json", environment={"PORTAIL_STORE": "memory:"})
            invalid = run("check", f"http://127.0.0.1:{server.port}", "--store", "memory:", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual(list(report["checks"]), ["configuration", "keys", "store", "token", "address", "tls", "portal", "clock", "portal store",
                                                  "portal keys", "transport", "portal token", "permissions"])
        self.assertEqual({check["status"] for check in report["checks"].values()}, {"ok"})
        self.assertEqual((report["contents"]["tiers"], report["token"]["verdict"]), (1, 200))
        # A variable may be for other commands; nothing is asked after wrong usage.
        self.assertEqual((variable.returncode, list(json.loads(variable.stdout)["checks"])[:2]), (0, ["address", "tls"]))
        self.assertEqual((invalid.returncode, list(json.loads(invalid.stdout)["checks"])), (2, ["configuration"]))
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, r"^portail: portal token: 401: The token has expired \(.*\)\n"
                                         r"portail: the token is refused: The token has expired\n$")

    def test_a_portal_that_is_not_reached(self):
        self.assert_only(self.ask(f"http://127.0.0.1:{free_port()}"), "address", "Connection refused", "systemctl status portail")
        self.assert_only(self.ask("https://portal.invalid"), "address", "portal.invalid: ", "getent hosts portal.invalid")
        with KeyProvider() as other:
            self.assert_only(self.ask(other.url), "portal", "/health/live answers 404, not as a portal", "Check host and port")

    def test_certificates(self):
        with self.serve(certificate="elsewhere") as server:
            self.assert_only(self.ask(f"https://localhost:{server.port}"), "tls", "the certificate is not for localhost",
                             "serve a certificate for this name")
        self.make_certificate("past.pem", "past.key", "-not_before", "20210101000000Z", "-not_after", "20210102000000Z")
        with KeyProvider(self.path("past.pem"), self.path("past.key")) as peer:  # the portal itself refuses to start with it
            self.assert_only(self.ask(f"https://localhost:{peer.port}"), "tls", "the certificate expired on 2021-01-02", "systemctl reload portail")

    def test_an_expired_certificate_above_that_of_the_server(self):
        self.make_signed_certificate("between", "authority", "basicConstraints=critical,CA:TRUE",
                                     ("-not_before", "20210101000000Z", "-not_after", "20210102000000Z"))
        self.make_signed_certificate("below", "between", "subjectAltName=DNS:localhost", ("-days", "90"))
        self.write("chain.pem", self.read("below.pem") + self.read("between.pem"))
        with KeyProvider(self.path("chain.pem"), self.path("below.key")) as peer:
            self.assert_only(self.ask(f"https://localhost:{peer.port}"), "tls", "the certificate CN = between expired on 2021-01-02", "systemctl reload")

    def test_an_expired_certificate_that_no_client_needs(self):
        self.make_certificate("root.pem", "root.key", "-not_before", "20210101000000Z", "-not_after", "20210102000000Z")
        self.make_signed_certificate("long", "authority", "subjectAltName=DNS:localhost", ("-days", "90"))
        self.write("chain.pem", self.read("long.pem") + self.read("root.pem"))
        with KeyProvider(self.path("chain.pem"), self.path("long.key")) as peer:
            check = self.ask(f"https://localhost:{peer.port}")["tls"]
        self.assertRegex(check["detail"], r"valid until \S+, (89|90) days left; the certificate CN = portail\.test expired on 2021-01-02, "
                         "and no client needs it$")
        self.assertEqual((check["status"], check["remedy"]), ("warning", "Remove that certificate from `tls-cert`."))

    def test_the_proxy_of_requests_is_not_used(self):
        self.certify("unspecified", "subjectAltName=IP:0.0.0.0")
        with self.serve(certificate="unspecified") as server, ConnectProxy(server.port) as proxy:
            done = run("check", f"https://0.0.0.0:{server.port}", "--ca-file", self.path("authority.pem"),
                       environment={"HTTPS_PROXY": proxy.url, "https_proxy": proxy.url, "NO_PROXY": "", "no_proxy": ""})
        self.assertEqual((done.returncode, done.stderr, proxy.requests), (0, "", []))

    def test_a_proxy(self):
        with self.serve_plainly("--transport", "forwarded", "--trusted-proxy", "127.0.0.1") as server:
            with self.relay(server, date=http_date(0), **{"X-Forwarded-Proto": "https"}) as port:
                checks = self.ask(f"http://127.0.0.1:{port}", token=self.token())
                self.assertEqual({check["status"] for check in checks.values()}, {"ok"}, checks)
                self.assertEqual(checks["permissions"]["detail"], "none")
        with self.serve_plainly("--transport", "forwarded", "--trusted-proxy", "192.0.2.7") as server:
            self.assert_only(self.ask(f"http://127.0.0.1:{server.port}"), "transport", "did not receive the request over HTTPS",
                             "Send it over HTTPS. If a proxy ends TLS, set `transport` to forwarded")

    def test_a_portal_without_store_or_keys(self):
        with Valkey() as valkey:
            must_run("import", "--store", valkey.url, self.document())
            with Server(self.folder, "--store", valkey.url, "--insecure-http", "--transport", "loopback", tls=False) as server:
                valkey.stop()
                url = f"http://127.0.0.1:{server.port}"
                self.assert_only(self.ask(url), "portal store", "not usable: requests get 503", "portail check")
                checks = self.ask(url, token=self.token())
                self.assertEqual(checks["portal token"]["detail"], "503: the portal cannot verify it now")
                refused = server.ask("GET", "/api/app/liasse", [self.bearer()])
                self.assertEqual(refused.status, 503)
                said = until(lambda: (done := run("explain", refused["X-Correlation-Id"], stdin=server.log())).returncode == 0 and done.stdout,
                             "the line")
                self.assertIn("reason           The store is unavailable\n", said)
                self.assertRegex(said, r"\nwarning          \S+Z store: (no session|a read failed): ")
        with self.serve_plainly("--transport", "loopback", jwks=self.write("none.json", '{"keys":[]}')) as server:
            self.assert_only(self.ask(f"http://127.0.0.1:{server.port}"), "portal keys", "not usable: requests get 503", "portail check")

    def test_without_tls(self):
        must_run("keys", "make", "--output", self.path("other.json"), "--kid", "other")
        other = must_run("token", "--keys", self.path("other.json"), "--issuer", ISSUER, "--audience", AUDIENCE, "--subject", "sub-client").strip()
        expired = self.token("sub-client", "--lifetime", "-120")
        with self.serve_plainly("--transport", "loopback") as server:
            url = f"http://127.0.0.1:{server.port}"
            checks = self.ask(f"https://127.0.0.1:{server.port}")
            self.assert_only(checks, "tls", "no handshake: ", "give an http URL")
            self.assertEqual(checks["address"]["status"], "ok")
            for token, detail, remedy in (
                    (expired, "401: The token has expired (", "Request a new token."),
                    (other, '401: The token\'s key (kid) is not known here (alg "EdDSA", kid "other", ', "portail keys show"),
                    (self.token("sub-client", "--claim", 'iss="https://elsewhere.test"'), "401: The token's issuer (iss) is not the expected one",
                     "portail check --token -"),
                    ("no.such.token", "401: The token's header is not base64url (", "Send the provider's access token unchanged"),
                    ("", "401: ", "Authorization"), ("a.é.b", "not sent: ", "unchanged")):
                with self.subTest(detail):
                    self.assert_only(self.ask(url, token=token), "portal token", detail, remedy)
            check = self.ask(url, token=expired)["portal token"]
            self.assertRegex(check["detail"], r"expired 1[2-9]\d s ago\)$")
            [correlation_id] = re.findall(r" With the log, `portail explain ([0-9a-f]{32})` says more\.$", check["remedy"])
            said = until(lambda: (done := run("explain", correlation_id, stdin=server.log())).returncode == 0 and done.stdout, "the line")
            self.assertIn("reason           The token has expired\n", said)
            self.assert_only(self.ask(url, "--permission", PERMISSION, token=self.token()), "permissions", f"missing: {PERMISSION}",
                             "Grant it in `droits`")
            self.assert_only(self.ask(f"http://0.0.0.0:{server.port}", token=self.token()), "portal token", "not sent: the URL is not https",
                             "https URL")
            for seconds, status, detail in ((3600, "failed", "s ahead of this machine's"), (-3600, "failed", "s behind this machine's"),
                                            (-30, "warning", "s behind this machine's")):
                with self.relay(server, date=http_date(seconds)) as port:
                    check = self.ask(f"http://127.0.0.1:{port}")["clock"]
                    self.assertEqual(check["status"], status, check)
                    self.assertIn(detail, check["detail"])
                    self.assertIn("timedatectl", check["remedy"])
            with self.relay(server) as port:
                self.assertEqual(self.ask(f"http://127.0.0.1:{port}")["clock"]["detail"], "the answer has no Date")

    def test_usage(self):
        url = "https://portal.example"
        for flags, part in ((["portal.example"], "URL: must be an http or https URL without a path"), ([f"{url}/api"], "without a path"),
                            ([url, "--permission", "x"], "--permission: unknown permission x"),
                            ([url, "--permission", PERMISSION], "--permission needs URL and --token"),
                            (["--token", "x", "--permission", PERMISSION], "--permission needs URL and --token"),
                            ([url, "--to", url], "--to: cannot be used with URL"),
                            (["--to", url, "--permission", PERMISSION], "--to: cannot be used with URL, --token, --permission or --show"),
                            ([url, "--token-file", "x"], "--token-file needs --to"), (["--ca-file", "x"], "--ca-file needs --to")):
            self.assert_one_line(run("check", *flags), 2, part)
        for name, line in ((self.path("none.pem"), f"cannot read {self.path('none.pem')}"),
                           (self.write("no_pem.json", "{}"), f"--ca-file: {self.path('no_pem.json')} has no certificate in PEM")):
            done = run("check", url, "--ca-file", name)
            self.assertNotEqual(done.returncode, 0)
            self.assertTrue(done.stderr.startswith(f"portail: {line}"), done.stderr)
            self.assertEqual(done.stdout, "")


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
