"""Plain HTTP and old versions of TLS at a server with a certificate. tests/contract/transport_test.cpp has proxies."""

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


if __name__ == "__main__":
    unittest.main()
