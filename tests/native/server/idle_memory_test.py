"""The resident memory of an idle connection, and what remains after its end. A busy machine does not change these sizes."""

import os
import re
import resource
import socket
import unittest

from support.program import PATIENCE, PortailTest, Server, until

CONNECTIONS = 400  # under the limit for one address
MAX_KIB = {False: 19, True: 50}  # of one connection, by whether it uses TLS
HANDSHAKES = 1000
MIN_HANDSHAKE_KIB = 30  # while it is pending: proves that the memory was occupied
MAX_REMAINING_KIB = 2 * 1024  # of the 52 MiB that all of them took


def resident_kib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"^VmRSS:\s+(\d+) kB", file.read(), re.MULTILINE)[1])


@unittest.skipIf(os.environ.get("TEST_SANITIZE"), "a sanitizer's own memory is counted with the server's")
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
            self.assertLess((resident_kib(server) - before) / CONNECTIONS, MAX_KIB[tls])

    def test_handshakes_that_ended_leave_no_memory_behind(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        flags = ["--store", "memory:", "--no-access-log", "--max-connections-per-address", str(2 * HANDSHAKES)]
        with Server(self.folder, *flags) as server:
            for _ in range(20):
                server.ask("GET", "/health/live")  # what the first ones cost once
            descriptors = f"/proc/{server.process.pid}/fd"
            before, open_before = resident_kib(server), len(os.listdir(descriptors))
            clients = []
            for _ in range(HANDSHAKES):
                client = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
                client.sendall(b"\x16")  # the first byte of a ClientHello
                clients.append(client)
            until(lambda: resident_kib(server) - before >= HANDSHAKES * MIN_HANDSHAKE_KIB, "handshakes that occupy memory")
            for client in clients:
                client.close()
            until(lambda: len(os.listdir(descriptors)) <= open_before, "the end of the connections")
            until(lambda: resident_kib(server) - before <= MAX_REMAINING_KIB, "the memory to be returned")

    def test_without_tls(self):
        self.assert_small(False, "--insecure-http", "--transport", "loopback")

    def test_under_tls(self):
        self.assert_small(True)


if __name__ == "__main__":
    unittest.main()
