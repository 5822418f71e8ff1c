"""native/nginx/portail.conf, as it is, with nginx in front of the program: TLS, what it passes on, what it keeps off."""

import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import unittest

from support.program import PATIENCE, Connection, PortailTest, Server, until

CONFIGURATION = pathlib.Path(__file__).resolve().parents[2] / "native" / "nginx" / "portail.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
NAME = "portail.test"
OBJECT = "/api/app/objet-courrier/1"
HIDDEN = "PUT {} HTTP/1.1\r\nHost: {}\r\n{}: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}"
HIDDEN_BODY = '{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class NamedConnection(Connection):
    """Asks for the server's name in its TLS handshake: nginx serves no other."""

    def __init__(self, port, address="127.0.0.1"):
        super().__init__(port, tls=False, address=address)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.reader.close()
        self.socket = context.wrap_socket(self.socket, server_hostname=NAME)
        self.reader = self.socket.makefile("rb")


@unittest.skipUnless(NGINX, "nginx (package nginx-light) is not installed")
class NginxTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(cls.folder, "--store", "memory:", "--import", cls.document(bundles=400, user="sub-admin"),
                            "--transport", "forwarded", "--trusted-proxy", "127.0.0.1/32", tls=False)
        cls.auth = cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
        cls.port = free_port()
        cls.nginx = subprocess.Popen([NGINX, "-p", cls.folder, "-e", "stderr", "-c", cls.nginx_configuration()],
                                     stderr=subprocess.PIPE, text=True)
        try:
            until(cls.answers, "nginx to answer")
        except AssertionError:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.nginx.send_signal(signal.SIGQUIT)
        cls.nginx.communicate(timeout=PATIENCE)
        cls.server.__exit__()
        super().tearDownClass()

    @classmethod
    def nginx_configuration(cls):
        """The file of the tree, with this test's ports and certificate."""
        served = CONFIGURATION.read_text()
        for pattern, ours in [(r"portail\.example", NAME), (r"listen 443 ", f"listen 127.0.0.1:{cls.port} "), (r"127\.0\.0\.1:8080", f"127.0.0.1:{cls.server.port}"),
                              (r"/etc/portail/certificate\.pem", cls.path("certificate.pem")),
                              (r"/etc/portail/key\.pem", cls.path("key.pem"))]:
            served, count = re.subn(pattern, ours, served)
            assert count > 0, pattern
        os.mkdir(cls.path("nginx"))
        temporary = "".join(f"{kind}_temp_path nginx/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root; " if os.geteuid() == 0 else ""
        return cls.write("nginx.conf", f"{user}daemon off; pid nginx/pid; worker_processes 1; error_log stderr; events {{}}\n"
                                       f"http {{ access_log off; {temporary}\n{served}\n}}\n")

    @classmethod
    def answers(cls):
        try:
            with NamedConnection(cls.port) as connection:
                return connection.request("GET", "/health/ready").status == 200
        except OSError:
            if cls.nginx.poll() is not None:
                raise AssertionError(cls.nginx.stderr.read()) from None
            return False

    def ask(self, method, target, headers=(), body=b""):
        with NamedConnection(self.port) as connection:
            return connection.request(method, target, headers, body)

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

    def test_another_name_gets_nothing(self):
        with self.assertRaises(ssl.SSLError):
            Connection(self.port)
        with NamedConnection(self.port) as connection:
            connection.send(f"GET {OBJECT} HTTP/1.1\r\nHost: other.example\r\n\r\n")
            self.assertEqual(connection.read().status, 421)

    def test_nothing_is_smuggled(self):
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
            with self.subTest(name), NamedConnection(self.port) as connection:
                connection.send(f"POST /api/app/objet-courrier HTTP/1.1\r\n{fields}\r\n{body}{hidden}")
                self.assertGreaterEqual(connection.read().status, 400)
                self.assertTrue(connection.is_ended())
                after = self.ask("GET", OBJECT, [self.auth]).json()
                self.assertEqual(after["typeAffectation"], "Rien")

    def test_an_address_that_asks_too_often_is_told_429(self):
        statuses = []
        while 429 not in statuses:
            self.assertLess(len(statuses), 100_000)
            with NamedConnection(self.port, "127.0.0.2") as connection:
                connection.send(f"GET {OBJECT} HTTP/1.1\r\nHost: {NAME}\r\n\r\n" * 100)
                statuses += [connection.read().status for _ in range(100)]
        self.assertEqual(set(statuses), {401, 429})
        # One, the burst, and what 50 a second have added to it.
        self.assertGreaterEqual(statuses.index(429), 201)
        self.assertEqual(self.ask("GET", OBJECT, [self.auth]).status, 200)

    def test_an_absent_service_is_told_in_its_own_words(self):
        with Server(self.folder, "--store", "memory:", "--transport", "forwarded", "--trusted-proxy", "127.0.0.1/32",
                    tls=False) as other:
            absent = other.port
        text = pathlib.Path(self.path("nginx.conf")).read_text().replace(f"127.0.0.1:{self.server.port}", f"127.0.0.1:{absent}")
        port = free_port()
        self.write("absent.conf", text.replace(f"127.0.0.1:{self.port} ", f"127.0.0.1:{port} ").replace("nginx/pid", "nginx/pid2"))
        nginx = subprocess.Popen([NGINX, "-p", self.folder, "-e", "stderr", "-c", self.path("absent.conf")],
                                 stderr=subprocess.DEVNULL)
        try:
            answer = until(lambda: self.ask_if_there(port), "the second nginx")
            self.assertEqual((answer.status, answer["Retry-After"], answer["Content-Type"]),
                             (503, "5", "application/json; charset=utf-8"))
            self.assertEqual(list(answer.json()["error"]), ["code", "message", "details", "data", "validationErrors"])
        finally:
            nginx.send_signal(signal.SIGQUIT)
            nginx.wait(PATIENCE)

    @staticmethod
    def ask_if_there(port):
        try:
            with NamedConnection(port) as connection:
                return connection.request("GET", OBJECT)
        except OSError:
            return None


if __name__ == "__main__":
    unittest.main()
