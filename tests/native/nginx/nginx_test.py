"""native/nginx/portail.conf: nginx in front of the program, with TLS, forwarded and rejected requests."""

import ssl
import unittest

from support.nginx import PROGRAM, Nginx
from support.program import Connection, PortailTest, Server, until

NAME = "portail.test"
OBJECT = "/api/app/objet-courrier/1"
HIDDEN = "PUT {} HTTP/1.1\r\nHost: {}\r\n{}: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}"
HIDDEN_BODY = '{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'


@unittest.skipUnless(PROGRAM, "nginx (package nginx-light) is not installed")
class NginxTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.enterClassContext(Server(
            cls.folder, "--store", "memory:", "--import", cls.document(bundles=400, user="sub-admin"), "--transport", "forwarded",
            "--trusted-proxy", "127.0.0.1/32", tls=False))
        cls.auth = cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
        cls.nginx = cls.enterClassContext(Nginx(cls.path("nginx"), [cls.server.port], cls.path("certificate.pem"), cls.path("key.pem"), NAME))
        until(lambda: cls.nginx.ask("GET", "/health/ready").status == 200, "the server behind nginx")

    def ask(self, *request):
        return self.nginx.ask(*request)

    def test_requests_reach_the_service_over_tls(self):
        answer = self.ask("GET", OBJECT, [self.auth])
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer["Strict-Transport-Security"], "max-age=31536000")
        self.assertEqual(self.ask("GET", OBJECT).status, 401)
        self.assertEqual(self.ask("PUT", OBJECT, [self.auth, ("Content-Type", "application/json")],
                                  b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}').status, 200)
        self.assertEqual(self.ask("PUT", OBJECT, [self.auth, ("Content-Type", "application/json")], b" " * 70_000).status, 413)
        self.assertEqual(len(self.ask("GET", "/api/app/liasse", [self.auth]).json()), 400)

    def test_a_client_cannot_speak_for_the_proxy(self):
        for claim in (("X-Forwarded-Proto", "http"), ("Forwarded", "proto=http"), ("X-Forwarded-Proto", "https, http")):
            self.assertEqual(self.ask("GET", OBJECT, [self.auth, claim]).status, 200, claim)

    def test_targets_go_on_as_they_came(self):
        self.assertEqual(self.ask("GET", "/api/app/liasse/a%2Fb", [self.auth]).status, 400)
        self.assertEqual(self.ask("GET", "//api/app/liasse", [self.auth]).status, 404)
        self.assertEqual(self.ask("GET", "/api/app/objet-courrier/%31", [self.auth]).status, 200)

    def test_a_tag_of_a_compressed_answer_stays_strong(self):
        """Although the main file of nginx compresses all answers of upstreams."""
        for target in (OBJECT, "/api/app/objet-courrier/list-all"):
            self.assertRegex(self.ask("GET", target, [self.auth, ("Accept-Encoding", "gzip")])["ETag"], '^"')
        tag = self.ask("GET", OBJECT, [self.auth, ("Accept-Encoding", "gzip")])["ETag"]
        put = [self.auth, ("Content-Type", "application/json"), ("If-Match", tag)]
        self.assertEqual(self.ask("PUT", OBJECT, put, b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}').status, 200)

    def test_another_name_gets_nothing(self):
        with self.assertRaises(ssl.SSLError):
            Connection(self.nginx.port)
        with self.nginx.connect() as connection:
            connection.send(f"GET {OBJECT} HTTP/1.1\r\nHost: other.example\r\n\r\n")
            self.assertEqual(connection.read().status, 421)

    def test_no_request_is_smuggled(self):
        hidden = HIDDEN.format(OBJECT, NAME, *self.auth, len(HIDDEN_BODY), HIDDEN_BODY)
        host = f"Host: {NAME}\r\n"
        for name, fields in [
            ("two lengths", host + "Content-Length: 0\r\nContent-Length: 5\r\n"),
            ("length and chunks", host + f"Content-Length: {len(hidden)}\r\nTransfer-Encoding: chunked\r\n"),
            ("signed length", host + "Content-Length: +0\r\n"),
            ("another coding", host + "Transfer-Encoding: gzip, chunked\r\n"),
            ("a disguised coding", host + "Transfer-Encoding: \x0bchunked\r\n"),
            ("a space before the colon", host + "Transfer-Encoding : chunked\r\n"),
            ("two hosts", host + "Host: other.example\r\n"),
            ("no host", ""),
            ("a bad chunk", host + "Transfer-Encoding: chunked\r\n"),
        ]:
            body = "zz\r\n" if name == "a bad chunk" else "0\r\n\r\n" if "chunk" in fields else ""
            with self.subTest(name), self.nginx.connect() as connection:
                connection.send(f"POST /api/app/objet-courrier HTTP/1.1\r\n{fields}\r\n{body}{hidden}")
                self.assertGreaterEqual(connection.read().status, 400)
                self.assertTrue(connection.is_ended())
                after = self.ask("GET", OBJECT, [self.auth]).json()
                self.assertEqual(after["typeAffectation"], "Rien")

    def test_an_address_over_its_rate_is_answered_429(self):
        statuses = []
        while 429 not in statuses:
            self.assertLess(len(statuses), 100_000)
            with self.nginx.connect("127.0.0.2") as connection:
                connection.send(f"GET {OBJECT} HTTP/1.1\r\nHost: {NAME}\r\n\r\n" * 100)
                statuses += [connection.read().status for _ in range(100)]
        self.assertEqual(set(statuses), {401, 429})
        # One, the burst, and what 50 a second have added to it.
        self.assertGreaterEqual(statuses.index(429), 201)
        self.assertEqual(self.ask("GET", OBJECT, [self.auth]).status, 200)

    def test_an_absent_service_is_answered_with_its_own_error_format(self):
        with Server(self.folder, "--store", "memory:", "--transport", "forwarded", "--trusted-proxy", "127.0.0.1/32",
                    tls=False) as other:
            absent = other.port
        with Nginx(self.path("without"), [absent], self.path("certificate.pem"), self.path("key.pem"), NAME) as nginx:
            answer = nginx.ask("GET", OBJECT)
        self.assertEqual((answer.status, answer["Retry-After"], answer["Content-Type"]), (503, "5", "application/json; charset=utf-8"))
        self.assertEqual(list(answer.json()["error"]), ["code", "message", "details", "data", "validationErrors"])

    def test_below_a_path_targets_go_on_as_they_came_too(self):
        below = Nginx(self.path("below"), [self.server.port], self.path("certificate.pem"), self.path("key.pem"), NAME, below=True)
        with below as nginx:
            for target, status in (("/portail/", 200), ("/portail/health/ready?a=b", 200), (f"/portail{OBJECT}", 200),
                                   ("/portail/api/app/objet-courrier/%31", 200), ("/portail/api/app/liasse/a%2Fb", 400),
                                   ("/portail//api/app/liasse", 404), ("//portail/health/ready", 400), ("/x/../portail/health/ready", 400),
                                   ("/portail", 301), ("/", 404), ("/health/ready", 404)):
                with self.subTest(target):
                    self.assertEqual(nginx.ask("GET", target, [self.auth]).status, status)
            self.assertEqual(nginx.ask("GET", "/portail/swagger")["Location"], "swagger/index.html")


if __name__ == "__main__":
    unittest.main()
