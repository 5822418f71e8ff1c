"""The operator's address (--metrics-listen): no client can block it, it ends with the server, and on a loopback address it answers local
hosts only."""

import contextlib
import http.client
import re
import signal
import socket
import threading
import time
import unittest

from support.metrics import metrics_port
from support.program import PATIENCE, PortailTest, Server, run, until

# Seconds, for one small request on a busy machine; a blocked server needs several seconds more.
MAX_ANSWER_TIME = 3.0
SHUTDOWN_TIMEOUT = 30  # seconds
FLOOD = 1000


class Trickle(threading.Thread):
    """Sends pieces on each of its connections until they end; `sent` counts."""

    def __init__(self, sockets, piece):
        super().__init__(daemon=True)
        self.sockets, self.piece = sockets, piece
        self.ended, self.sent, self.failure = threading.Event(), 0, None

    def run(self):
        try:
            while not self.ended.wait(0.2):
                for each in self.sockets:
                    with contextlib.suppress(OSError):
                        each.send(self.piece)
                        self.sent += 1
        except Exception as error:  # handed over by stop()
            self.failure = error

    def stop(self):
        self.ended.set()
        self.join(PATIENCE)
        if self.failure:
            raise self.failure


class MetricsListenerTest(PortailTest):
    def start(self, *flags, address="127.0.0.1", shutdown_timeout=SHUTDOWN_TIMEOUT, **options):
        return Server(self.folder, "--store", "memory:", "--import", self.document(), "--shutdown-timeout", shutdown_timeout, "--drain-delay", "0",
                      "--metrics-listen", f"{address}:0", *flags, **options)

    def ask(self, server, text, address="127.0.0.1"):
        """Returns the answer's first line, headers and body."""
        with socket.create_connection((address, metrics_port(server)), timeout=PATIENCE) as client:
            client.sendall(text.encode())
            return self.read(client)

    def read(self, client):
        answer = http.client.HTTPResponse(client)
        answer.begin()
        return answer.status, dict(answer.getheaders()), answer.read().decode()

    def health(self, server, **options):
        return self.ask(server, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", **options)

    def assert_answers(self, server):
        """The fastest of three requests is in time: another process of a busy machine may delay single ones."""
        waited = []
        for _ in range(3):
            began = time.monotonic()
            self.assertEqual(self.health(server)[0], 200)
            waited.append(time.monotonic() - began)
        self.assertLess(min(waited), MAX_ANSWER_TIME, waited)
        self.assertEqual(server.ask("GET", "/health/live").status, 200)

    @contextlib.contextmanager
    def clients(self, server, count, first):
        with contextlib.ExitStack() as stack:
            sockets = []
            for _ in range(count):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", metrics_port(server)), timeout=PATIENCE))
                if first:
                    client.sendall(first)
                sockets.append(client)
            yield sockets

    def is_ended(self, client):
        try:
            while client.recv(65536):
                pass
        except ConnectionError:
            pass
        return True

    def test_hostile_clients(self):
        """Hostile clients delay neither health nor the server's end; each connection is closed by its deadline."""
        states = {
            "nothing": (b"", b"", 300),
            "a header line now and then": (b"GET /health HTTP/1.1\r\nHost: localhost\r\n", b"X-A: b\r\n", 2),
            "many header lines now and then": (b"GET /health HTTP/1.1\r\nHost: localhost\r\n", b"X-A: b\r\n", 300),
            "a byte of the request line now and then": (b"GET /", b"a", 40),
            "a body that does not come": (b"POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n", b"a", 40),
            "a body in chunks that does not end": (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n", 40),
            "a TLS handshake": (bytes.fromhex("16030100c8010000c40303"), b"\0", 40),
            "requests sent ahead, whose answers are not read": (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50, b"", 40),
            "empty lines": (b"\r\n", b"\r\n", 40),
        }
        for name, (first, piece, count) in states.items():
            with self.subTest(name), self.start() as server, self.clients(server, count, first) as sockets:
                trickle = Trickle(sockets, piece)
                if piece:
                    trickle.start()
                try:
                    self.assert_answers(server)
                    if piece:
                        until(lambda: trickle.sent > 0, "a piece to be sent")
                    self.assert_answers(server)
                    began = time.monotonic()
                    server.process.send_signal(signal.SIGTERM)
                    self.assertEqual(server.process.wait(PATIENCE), 0)
                    self.assertLess(time.monotonic() - began, SHUTDOWN_TIMEOUT)
                finally:
                    if piece:
                        trickle.stop()

    def test_a_request_has_5_seconds(self):
        with self.start() as server, self.clients(server, 3, b"GET /health HTTP/1.1\r\n") as sockets:
            trickle = Trickle(sockets, b"X-A: b\r\n")
            trickle.start()
            try:
                began = time.monotonic()
                for each in sockets:
                    self.assertTrue(self.is_ended(each))
                self.assertLess(time.monotonic() - began, 15)
                self.assertGreater(trickle.sent, 0)
                self.assertEqual(server.warnings(), [])
            finally:
                trickle.stop()

    def assert_open(self, sockets, at_most):
        """New connections have evicted old ones, whose ends the clients see a little later."""
        ended = set()

        def are_ended():
            for each in set(sockets) - ended:
                with contextlib.suppress(BlockingIOError):
                    self.assertTrue(self.is_ended(each))
                    ended.add(each)
            return len(ended) >= len(sockets) - at_most

        for each in sockets:
            each.setblocking(False)
        until(are_ended, f"all but {at_most} connections of {len(sockets)} to end")

    def test_a_flood_of_connections(self):
        with self.start() as server, self.clients(server, FLOOD, b"GET /") as sockets:
            self.assert_answers(server)
            self.assert_open(sockets, at_most=256)
            self.assertEqual(server.stop(), 0)

    def test_a_flood_that_is_accepted_in_few_turns(self):
        """A connection that is being closed does not count: each new one evicts another."""
        with self.start() as server:
            metrics_port(server)
            server.process.send_signal(signal.SIGSTOP)
            with self.clients(server, FLOOD, b"GET /") as sockets:  # they wait in the kernel's queue
                server.process.send_signal(signal.SIGCONT)
                self.assertEqual(self.health(server)[0], 200)
                self.assert_open(sockets, at_most=64)
            self.assertEqual(server.stop(), 0)

    def test_a_flood_that_goes_on(self):
        with self.start() as server:
            port, ended, counts, failures = metrics_port(server), threading.Event(), [0] * 4, []

            def flood(number):
                try:
                    open_ones = []
                    while not ended.is_set():
                        client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + (b"\r\n" if counts[number] % 2 else b""))
                        counts[number] += 1
                        open_ones.append(client)
                        if len(open_ones) > 100:
                            open_ones.pop(0).close()
                    for client in open_ones:
                        client.close()
                except OSError as error:
                    failures.append(error)
            threads = [threading.Thread(target=flood, args=(number,), daemon=True) for number in range(len(counts))]
            for thread in threads:
                thread.start()
            try:
                until(lambda: min(counts) > 50 or failures, "the flood")
                for _ in range(3):  # without a limit of time: the flood's threads share this process with the client that asks
                    self.assertEqual(self.health(server)[0], 200)
                    self.assertEqual(server.ask("GET", "/health/live").status, 200)
            finally:
                ended.set()
                for thread in threads:
                    thread.join(PATIENCE)
            self.assertEqual(failures, [])
            self.assertEqual(server.stop(), 0)

    def test_it_answers_while_the_server_stops(self):
        with self.start("--insecure-http", shutdown_timeout=60, tls=False) as server, server.connect() as client:
            client.send("GET /health/live HTTP/1.1\r\nHost: h\r\n")  # the server waits for a request that has begun
            until(lambda: '"connections":{"status":"Healthy","detail":"1 of' in self.health(server)[2], "the connection")
            server.process.send_signal(signal.SIGTERM)
            status, _, text = until(lambda: (answer := self.health(server))[0] == 503 and answer, "the stop")
            self.assertIn('"host":{"status":"Unhealthy","detail":"the server is stopping"}', text)
            client.send("\r\n")
            self.assertEqual(client.read().status, 200)
            self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_hosts(self):
        local = ["localhost", "localhost:9464", "LocalHost:1", "localhost:", "127.0.0.1", "127.0.0.1:9464", "127.1.2.3:9", "[::1]", "[::1]:9464",
                 "[0:0:0:0:0:0:0:1]"]
        foreign = ["portail.test", "portail.test:9464", "localhost.test", "127.0.0.1.test", "localhost.", "127.1", "2130706433", "0x7f000001",
                   "127.0.0.1.", "0.0.0.0", "[::]", "[::2]:9464", "192.0.2.1", "10.0.0.1:80", "", "::1", "localhost.localdomain", "localhostx",
                   "xlocalhost", "127.0.0.256", "127.0.0.%31", "[127.0.0.1]"]
        with self.start() as server:
            tried = 0
            for path in ("/health", "/metrics", "/nowhere"):
                for hosts, misdirected in ((local, False), (foreign, True)):
                    for host in hosts:
                        with self.subTest(path=path, host=host):
                            status, headers, text = self.ask(server, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")
                            if host == "::1":
                                self.assertEqual(status, 400)  # without a host
                            elif misdirected:
                                self.assertEqual((status, headers["Cache-Control"]), (421, "no-store"))
                                self.assertIn("Host: must be localhost", text)
                            else:
                                self.assertEqual(status, 404 if path == "/nowhere" else 200)
                            tried += 1
            self.assertEqual(tried, 3 * (len(local) + len(foreign)))
            for text, status in (("GET /health HTTP/1.0\r\n\r\n", 421), ("GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
                                 ("GET /health HTTP/1.1\r\n\r\n", 400),
                                 ("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
                                 # The target's authority overrides Host.
                                 ("GET http://portail.test/health HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
                                 ("GET http://localhost:9464/health HTTP/1.1\r\nHost: portail.test\r\n\r\n", 200),
                                 ("GET http://localhost@portail.test/health HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
                                 ("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: portail.test\r\n\r\n", 200)):
                with self.subTest(text):
                    self.assertEqual(self.ask(server, text)[0], status)
        with self.start(address="0.0.0.0") as server:
            for host in ("portail.test", "localhost", "192.0.2.1:9464"):
                self.assertEqual(self.ask(server, f"GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n")[0], 200, host)

    def test_requests(self):
        with self.start() as server:
            allowed = {204: "GET, HEAD, OPTIONS", 405: "GET, HEAD"}
            for text, status in (("GET /health?a=b HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
                                 ("OPTIONS /health HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
                                 ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab", 405),
                                 ("OPTIONS /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: https://front.test\r\n\r\n", 405),
                                 ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
                                 ("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
                                 ("GET /api/app/liasse HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
                                 ("GET /../health HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
                                 ("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
                                 ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 204),
                                 ("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + 40000 * "a" + "\r\n\r\n", 431),
                                 ("GET /health HTTP/1.1\r\nHost: localhost\r\n" + 200 * "X: a\r\n" + "\r\n", 431),
                                 ("GET /health HTTP/2.0\r\nHost: localhost\r\n\r\n", 505)):
                with self.subTest(text[:60]):
                    answered, headers, _ = self.ask(server, text)
                    self.assertEqual((answered, headers["Connection"], headers["Cache-Control"]), (status, "close", "no-store"))
                    self.assertEqual(headers.get("Allow"), allowed.get(status))
                    self.assertEqual([name for name in headers if name.lower().startswith("access-control-")], [])
            with socket.create_connection(("127.0.0.1", metrics_port(server)), timeout=PATIENCE) as client:
                client.sendall(b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                head = b"".join(iter(lambda: client.recv(65536), b"")).decode()
            self.assertRegex(head, r"(?s)^HTTP/1.1 200 .*\r\nContent-Length: [1-9][0-9]+\r\n[^{]*\r\n$")

    def test_an_address_that_is_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = run("serve", "--listen", "127.0.0.1:0", "--store", "memory:", *self.accepting(), "--metrics-listen", f"127.0.0.1:{port}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.compile(f"^portail: cannot listen on 127.0.0.1 port {port}: the port is in use; .* --metrics-listen$", re.MULTILINE))


if __name__ == "__main__":
    unittest.main()
