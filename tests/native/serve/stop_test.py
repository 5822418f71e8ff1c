"""SIGTERM and SIGINT: readiness fails first, no accepted request is lost, status 0. No end loses an access line."""

import os
import signal
import ssl
import time
import unittest

from support.program import PortailTest, Server, Worker, until

TARGET = "/api/app/liasse"


class StopTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = cls.document(bundles=300)
        cls.auth = cls.bearer()

    def start(self, *flags, **options):
        return Server(self.folder, "--store", "memory:", "--import", self.data, *flags, **options)

    def test_both_signals_end_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.start() as server, server.connect() as idle:
                self.assertEqual(idle.request("GET", "/health/live").status, 200)
                began = time.monotonic()
                self.assertEqual(server.stop(number), 0)
                self.assertLess(time.monotonic() - began, 25)  # the server does not wait 30 s for an idle connection
                self.assertTrue(idle.is_ended())

    def test_readiness_goes_false_first(self):
        with self.start("--drain-delay", "600000") as server:
            self.assertEqual(server.ask("GET", "/health/ready").status, 200)
            server.process.send_signal(signal.SIGTERM)
            until(lambda: server.ask("GET", "/health/ready").status == 503, "readiness to go false")
            self.assertEqual(server.ask("GET", "/health-status").status, 503)
            answer = server.ask("GET", TARGET, [self.auth])  # everything else is served meanwhile
            self.assertEqual((answer.status, answer["Connection"]), (200, "close"))
            self.assertIsNone(server.process.poll())
            # A second signal ends it immediately.
            self.assertEqual(server.stop(), 1)

    def test_a_request_that_has_begun_is_answered(self):
        body = b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}'
        with self.start("--drain-delay", "0") as server, server.connect() as connection:
            auth = self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
            connection.send(f"PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: h\r\n{auth[0]}: {auth[1]}\r\n"
                            f"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n")
            self.assertEqual(connection.read().status, 100)  # the core waits for the body now
            server.process.send_signal(signal.SIGTERM)
            until(lambda: '"stopping"' in server.log(), "the stop to begin")
            connection.send(body)
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (200, "close"))
            self.assertEqual(server.process.wait(60), 0)

    def test_under_load_nothing_accepted_is_lost(self):
        for drain in ("0", "300"):
            with self.subTest(drain=drain), self.start("--drain-delay", drain) as server:
                clients = [Client(server, self.auth, number) for number in range(12)]
                for client in clients:
                    client.start()
                until(lambda: sum(len(client.answered) for client in clients) > 200, "load")
                self.assertEqual(server.stop(), 0)
                for client in clients:
                    client.join(60)
                    self.assertFalse(client.is_alive())
                    self.assertEqual(client.broken, [])
                # Every request that the server accepted got a complete answer.
                accepted = {line["correlationId"] for line in server.log_lines() if line.get("route") == TARGET}
                answered = set().union(*(client.answered for client in clients))
                self.assertEqual(accepted - answered, set())
                self.assertGreaterEqual(len(accepted), len(answered))


    def test_no_way_of_ending_loses_an_access_line(self):
        for numbers, status in [([signal.SIGKILL], -signal.SIGKILL), ([signal.SIGTERM, signal.SIGTERM], 1),
                                ([signal.SIGTERM, signal.SIGINT], 1)]:
            for level in ("info", "error"):
                with self.subTest(numbers=numbers, level=level), \
                        self.start("--drain-delay", "600000", "--log-level", level) as server, server.connect() as client:
                    # No client receives data without an access line.
                    self.assertEqual(client.request("GET", "/api/app/liasse/L-unknown", [self.bearer("sub-admin")]).status, 404)
                    answer = client.request("GET", "/api/app/liasse/dashboard-list", [self.auth, ("X-Correlation-Id", "seen")])
                    self.assertEqual(answer.status, 403)
                    for number in numbers[:-1]:
                        server.process.send_signal(number)
                        until(lambda: server.ask("GET", "/health/ready").status == 503, "the stop to begin")
                    self.assertEqual(server.stop(numbers[-1]), status)
                    self.assertEqual([(line["access"], line["correlationId"]) for line in server.events("access")],
                                     [("refused", "seen")])

    def test_a_second_signal_ends_it_while_its_log_is_not_read(self):
        workers = 8
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        with self.start("--drain-delay", "0", "--workers", workers, log=writing) as server:
            os.close(writing)
            with server.connect() as client:
                for _ in range(1000):  # more lines than a pipe can hold
                    self.assertEqual(client.request("GET", "/health/live").status, 200)
            server.process.send_signal(signal.SIGTERM)
            until(lambda: len(os.listdir(f"/proc/{server.process.pid}/task")) < workers, "the end of the workers")
            self.assertEqual(server.stop(), 1)

    def test_a_second_signal_loses_no_line_of_a_request(self):
        with self.start("--drain-delay", "600000", "--log-level", "info") as server:
            server.process.send_signal(signal.SIGTERM)
            until(lambda: server.ask("GET", "/health/ready").status == 503, "the stop to begin")
            answers = {server.ask("GET", TARGET, [self.auth])["X-Correlation-Id"] for _ in range(5)}
            self.assertEqual(server.stop(), 1)
            logged = {line["correlationId"] for line in server.log_lines() if line.get("route") == TARGET}
            self.assertLessEqual(len(answers - logged), 1)  # the line of the last may not have been begun


class Client(Worker):
    """Sends requests until the server ends."""

    def __init__(self, server, auth, number):
        super().__init__()
        self.server, self.auth, self.number = server, auth, number
        self.answered, self.broken = set(), []

    def work(self):
        count = 0
        while True:
            try:
                connection = self.server.connect()
            except (OSError, ssl.SSLError):
                return  # the port is closed
            with connection:
                while True:
                    count += 1
                    identifier = f"load-{self.number}-{count}"
                    try:
                        answer = connection.request("GET", TARGET, [self.auth, ("X-Correlation-Id", identifier)])
                    except (ConnectionError, ssl.SSLError):
                        break  # before an answer began; the server's log shows whether the request was accepted
                    except (EOFError, ValueError) as error:
                        self.broken.append(repr(error))
                        return
                    if answer is None:
                        break
                    if answer.status != 200 or not answer.body.endswith(b"]"):
                        self.broken.append(f"{answer.status} {len(answer.body)} bytes")
                        return
                    self.answered.add(identifier)
                    if answer["Connection"] == "close":
                        break


if __name__ == "__main__":
    unittest.main()
