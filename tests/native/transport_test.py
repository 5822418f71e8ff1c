"""Plain HTTP, and the trusted proxies whose forwarding headers stand for TLS."""

import socket
import ssl
import unittest

from support.program import Connection, PortailTest, Server

ROUTE = "/api/app/objet-courrier"


class TransportTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth = cls.bearer()

    def test_a_tls_server_rejects_plain_http(self):
        with Server(self.folder, "--store", "memory:") as server:
            with Connection(server.port, tls=False) as clear:
                answer = clear.request("GET", "/health/live")
                self.assertEqual(answer.status, 400)
                self.assertEqual(answer.json()["error"]["message"], "This service answers over HTTPS only!")
                self.assertTrue(clear.is_ended())
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
            with socket.create_connection(("127.0.0.1", server.port)) as raw, context.wrap_socket(raw) as secure:
                self.assertEqual(secure.version(), "TLSv1.2")
            answer = server.ask("GET", ROUTE, [self.auth])
            self.assertEqual(answer.status, 200)
            self.assertIsNotNone(answer["Strict-Transport-Security"])

    def test_plain_http_on_loopback_by_flag(self):
        with Server(self.folder, "--store", "memory:", "--insecure-http", tls=False) as server:
            self.assertEqual(server.scheme, "http")
            answer = server.ask("GET", ROUTE, [self.auth])
            self.assertEqual(answer.status, 200)
            self.assertIsNone(answer["Strict-Transport-Security"])

    def test_forwarding_headers_of_a_trusted_proxy_only(self):
        flags = ["--store", "memory:", "--transport", "forwarded"]
        https, http = ("X-Forwarded-Proto", "https"), ("X-Forwarded-Proto", "http")
        with Server(self.folder, *flags, "--trusted-proxy", "127.0.0.0/8", tls=False) as server:
            self.assertEqual(server.ask("GET", ROUTE, [self.auth, https]).status, 200)
            self.assertEqual(server.ask("GET", ROUTE, [self.auth, ("Forwarded", "for=192.0.2.1;proto=https")]).status, 200)
            for headers in ([], [http], [https, https], [("X-Forwarded-Proto", "https, https")]):
                self.assertEqual(server.ask("GET", ROUTE, [self.auth, *headers]).status, 403, headers)
            self.assertEqual(server.ask("GET", "/health/live").status, 200)
        with Server(self.folder, *flags, "--trusted-proxy", "192.0.2.0/24", tls=False) as server:
            self.assertEqual(server.ask("GET", ROUTE, [self.auth, https]).status, 403)


if __name__ == "__main__":
    unittest.main()
