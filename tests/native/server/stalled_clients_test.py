"""Clients that request much and read nothing: their resources are bounded, and other clients are unaffected."""

import json
import os
import resource
import signal
import socket
import unittest

from support.metrics import metrics_of
from support.program import Connection, PortailTest, Server, free_port, must_run, slow_client, until

LIST = "/api/app/liasse"
TEMPLATE = "/api/app/objet-courrier/1/fichier-modele"
FILE = os.urandom(5 * 1024 * 1024)
BROKEN_OFF = "answers are cut off: their clients leave too many bytes unread"
STOPPED = "connections are closed: the shutdown timeout has expired"
MEBIBYTE = 1024 * 1024


class StalledClientsTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # more than a shell has by default
        document = cls.document(bundles=1500)
        with open(document, encoding="utf-8") as file:
            portal = json.load(file)
        portal["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "m.pdf", "chemin": "m.pdf", "type": "application/pdf"}
        cls.write("portail.json", json.dumps(portal))
        with open(cls.path("m.pdf"), "wb") as file:
            file.write(FILE)
        cls.store = f"lmdb:{cls.path('store')}"
        must_run("import", "--store", cls.store, document)
        cls.auth = cls.bearer()

    def serve(self, *flags, port=0):
        flags = ("--max-streams-per-client", "1000", *flags)
        return Server(self.folder, "--store", self.store, "--insecure-http", *flags, tls=False, port=port)

    def stall(self, server, target, count, address):
        """Opens connections from `address` that request `target` and read nothing."""
        request = f"GET {target} HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n\r\n"
        stalled = [slow_client(server.port, request, address) for _ in range(count)]
        self.addCleanup(lambda: [client.close() for client in stalled])
        return stalled

    def is_broken_off(self, client):
        """Whether a broken-off answer ended by a reset or incomplete."""
        received = 0
        try:
            while data := client.recv(MEBIBYTE):
                received += len(data)
        except ConnectionResetError:
            return True
        return received < len(FILE)

    def test_unread_files_stay_within_their_limit(self):
        with self.serve("--max-unsent", "32", "--metrics-listen", "127.0.0.1:0") as server:
            stalled = self.stall(server, TEMPLATE, 400, "127.0.0.2")
            until(lambda: server.events(BROKEN_OFF), "answers that are broken off")
            for _ in range(5):
                answer = server.ask("GET", TEMPLATE, [self.auth])
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer["Content-Length"], str(len(FILE)))
                self.assertEqual(answer.body, FILE)
            self.assertLess(server.peak_memory(), 150)
            self.assertEqual(len(server.events(BROKEN_OFF)), 1)
            self.assertTrue(self.is_broken_off(stalled[0]))
            # What was broken off counts no more, so that the next clients have the whole limit.
            self.assertGreater(metrics_of(server)["portail_unsent_bytes"], 0)
            self.doCleanups()
            until(lambda: metrics_of(server)["portail_connections"] == 0, "the end of the connections")
            self.assertEqual(metrics_of(server)["portail_unsent_bytes"], 0)

    def test_slow_readers_lose_nothing_to_clients_that_read_nothing(self):
        with self.serve("--max-unsent", "8") as server, Connection(server.port, tls=False) as slow:
            slow.send(f"GET {TEMPLATE} HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n\r\n")
            first = slow.reader.read(MEBIBYTE)
            self.stall(server, TEMPLATE, 100, "127.0.0.2")
            until(lambda: server.events(BROKEN_OFF), "answers that are broken off")
            head, _, body = (first + slow.reader.read(len(FILE) + first.index(b"\r\n\r\n") + 4 - len(first))).partition(b"\r\n\r\n")
            self.assertIn(b"HTTP/1.1 200 OK\r\n", head)
            self.assertEqual(body, FILE)

    def test_unread_lists_do_not_block_the_store(self):
        with self.serve("--max-unsent", "4096") as server:
            before = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            # All must connect within 30 s, after which the first is closed; a sanitizer needs as long for a quarter.
            count = 100 if os.environ.get("TEST_SANITIZE") else 400
            for number in range(2, 5):
                self.stall(server, LIST, count, f"127.0.0.{number}")
            until(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) >= before + 3 * count, "all connections")
            self.assertEqual(server.ask("GET", LIST, [self.auth]).status, 200)
            exported = must_run("export", "--store", self.store)
            self.assertEqual(len(json.loads(exported)["liasses"]), 1500)
            must_run("import", "--store", self.store, self.path("portail.json"))
            self.doCleanups()
            until(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) <= before + 2, "the end of the connections")
            must_run("export", "--store", self.store)
            self.assertEqual(server.ask("GET", LIST, [self.auth]).status, 200)

    def test_a_stop_waits_for_them_as_long_as_it_may(self):
        with self.serve("--drain-delay", "0", "--shutdown-timeout", "1") as server:
            stalled = self.stall(server, TEMPLATE, 20, "127.0.0.2")
            for client in stalled:
                self.assertEqual(client.recv(1, socket.MSG_PEEK), b"H")  # its answer has begun
            self.assertEqual(server.stop(), 0)
            self.assertEqual([line["detail"] for line in server.events(STOPPED)], ["20"])
            for client in stalled:
                self.assertTrue(self.is_broken_off(client))

    def test_the_next_server_has_their_port_and_their_store(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number=number):
                port = free_port()
                with self.serve("--drain-delay", "0", "--shutdown-timeout", "1", port=port) as server:
                    for target in (TEMPLATE, LIST):
                        for client in self.stall(server, target, 50, "127.0.0.2"):
                            self.assertEqual(client.recv(1, socket.MSG_PEEK), b"H")
                    server.stop(number)
                # They are still connected, and have read nothing.
                with self.serve("--max-unsent", "32", port=port) as again:
                    self.stall(again, TEMPLATE, 50, "127.0.0.2")
                    answer = again.ask("GET", TEMPLATE, [self.auth])
                    self.assertEqual((answer.status, answer.body == FILE), (200, True))
                    self.assertEqual(len(again.ask("GET", LIST, [self.auth]).json()), 1500)
                    must_run("import", "--store", self.store, self.path("portail.json"))
                    self.assertEqual(again.ask("GET", "/health/ready").status, 200)


if __name__ == "__main__":
    unittest.main()
