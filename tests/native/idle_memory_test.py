"""What a connection costs that only stays open: bytes of resident memory, which are the same on a busy machine."""

import os
import re
import unittest

from support.program import PortailTest, Server

CONNECTIONS = 400  # under the limit for one address
MOST_KIB = {False: 19, True: 50}  # of one connection, by whether it is under TLS


def resident_kib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"^VmRSS:\s+(\d+) kB", file.read(), re.MULTILINE)[1])


@unittest.skipIf(os.environ.get("PORTAIL_SANITIZE"), "a sanitizer's own memory is counted with the server's")
class IdleMemoryTest(PortailTest):
    def assert_small(self, tls, *flags):
        with Server(self.folder, "--store", "memory:", "--no-access-log", *flags, tls=tls) as server:
            def open_one():
                connection = server.connect()
                self.addCleanup(connection.close)
                self.assertEqual(connection.request("GET", "/health/live").status, 200)
            for _ in range(20):
                open_one()  # what the first ones cost once
            before = resident_kib(server)
            for _ in range(CONNECTIONS):
                open_one()
            self.assertLess((resident_kib(server) - before) / CONNECTIONS, MOST_KIB[tls])

    def test_in_clear(self):
        self.assert_small(False, "--insecure-http", "--transport", "loopback")

    def test_under_tls(self):
        self.assert_small(True)


if __name__ == "__main__":
    unittest.main()
