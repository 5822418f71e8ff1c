"""Hostile clients: requests hidden behind malformed ones, slow connections, and too many connections."""

import contextlib
import errno
import json
import socket
import ssl
import time
import unittest

from support.program import PATIENCE, PortailTest, Server, slow_client, until

OBJECT = "/api/app/objet-courrier/1"
HIDDEN_BODY = '{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
# A worker that waits for a slow connection waits for at least 10 s.
MAX_HEALTHY_WAIT = 5.0  # seconds
MANY = 256


class NothingAfterABrokenRequest(PortailTest):
    """Each request that two readers could understand differently hides a PUT that must not happen. tests/contract/errors_test.cpp,
    request_head_unit.cpp and connection_reader_unit.cpp have more."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.enterClassContext(Server(cls.folder, "--store", "memory:", "--import", cls.document()))
        cls.auth = cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")

    def hidden_put(self):
        return (f"PUT {OBJECT} HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(HIDDEN_BODY)}\r\n\r\n{HIDDEN_BODY}")

    def assert_nothing_follows(self, broken, status):
        with self.server.connect() as connection:
            connection.send(broken + self.hidden_put())
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (status, "close"))
            self.assertTrue(connection.is_ended())
        after = self.server.ask("GET", OBJECT, [self.auth]).json()
        self.assertEqual((after["utilisablePourLiasse"], after["typeAffectation"]), (True, "Rien"), broken)

    def test_the_hidden_put_would_work(self):
        with Server(self.folder, "--store", "memory:", "--import", self.path("portail.json")) as server, \
                server.connect() as connection:
            connection.send("GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n" + self.hidden_put())
            self.assertEqual([connection.read().status for _ in range(2)], [200, 200])
            self.assertEqual(server.ask("GET", OBJECT, [self.auth]).json()["typeAffectation"], "Obligatoire")

    def test_what_two_readers_could_understand_differently(self):
        host = "Host: h\r\n"
        put = f"PUT {OBJECT} HTTP/1.1\r\n{host}{self.auth[0]}: {self.auth[1]}\r\nContent-Type: application/json\r\n"
        chunked = put + "Transfer-Encoding: chunked\r\n\r\n"
        for name, broken, status in [
            ("two Host that differ", f"GET /health/live HTTP/1.1\r\n{host}host: other\r\n\r\n", 400),
            ("two lengths", f"{put}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
            ("bare line feeds", "GET /health/live HTTP/1.1\nHost: h\n\n", 400),
            ("two empty lines first", f"\r\n\r\nGET /health/live HTTP/1.1\r\n{host}\r\n", 400),
            ("too many fields", f"GET /health/live HTTP/1.1\r\n{host}" + "A: b\r\n" * 100 + "\r\n", 431),
            ("malformed target", f"GET /%zz HTTP/1.1\r\n{host}\r\n", 400),
            ("too long a target", f"GET /{'a' * 9000} HTTP/1.1\r\n{host}\r\n", 400),
            ("a chunk longer than its size", chunked + "2\r\n{} \r\n0\r\n\r\n", 400),
            ("endless extension", chunked + "2;" + "a" * 20_000, 400),
            ("endless trailers", chunked + "2\r\n{}\r\n0\r\n" + "A: b\r\n" * 3000, 400),
        ]:
            with self.subTest(name):
                self.assert_nothing_follows(broken, status)

    def test_answers_come_in_the_order_of_the_requests(self):
        targets = ["/health/live", "/nothing", OBJECT, "/api/app/liasse", "/health/ready", "/swagger/v1/swagger.json"] * 20
        statuses = [200, 404, 401, 401, 200, 200] * 20
        with self.server.connect() as connection:
            connection.send("".join(f"GET {target} HTTP/1.1\r\nHost: h\r\nX-Correlation-Id: n{number}\r\n\r\n"
                                    for number, target in enumerate(targets)))
            for number, status in enumerate(statuses):
                answer = connection.read()
                self.assertEqual((answer.status, answer["X-Correlation-Id"]), (status, f"n{number}"))


class SlowConnections(PortailTest):
    """Runs two workers: a connection that waits for its peer must not occupy one."""

    FLAGS = ["--workers", "2", "--max-connections-per-address", str(4 * MANY)]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth = cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
        # Larger than the kernel's buffers for a client that reads nothing.
        with open(cls.path("large.pdf"), "wb") as file:
            file.write(b"%PDF-1.4\n" + b"x" * 5_000_000)
        portal = json.loads(cls.read(cls.document()))
        portal["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "large.pdf", "chemin": "large.pdf",
                                                        "type": "application/pdf"}
        cls.data = cls.write("portail.json", json.dumps(portal))

    @contextlib.contextmanager
    def crowd(self, server, data, count=MANY):
        """Opens `count` connections that have sent `data` and now wait."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                stack.enter_context(slow_client(server.port, data))
            yield

    def assert_healthy_client_is_served(self, server):
        """The fastest of three requests is in time: slow connections would delay all of them, a busy machine only some."""
        for target in ("/health/ready", OBJECT):
            self.assertLess(min(self.seconds_for(server, target) for _ in range(3)), MAX_HEALTHY_WAIT)

    def seconds_for(self, server, target):
        began = time.monotonic()
        with server.connect() as connection:
            self.assertEqual(connection.request("GET", target, [self.auth]).status, 200)
        return time.monotonic() - began

    def head(self, method, target, *fields):
        return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: h", f"{self.auth[0]}: {self.auth[1]}", *fields]) + "\r\n"

    def test_without_tls(self):
        body = ["Content-Type: application/json", "Content-Length: 1000"]
        manners = {
            "silent": b"",
            "slow head": b"GET / HTTP/1.1\r\nHost: h\r\nX: ",
            "slow body": (self.head("PUT", OBJECT, *body) + "\r\n{").encode(),
            "slow body of an anonymous caller": f"PUT {OBJECT} HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n{{".encode(),
            "slow chunk": (self.head("PUT", OBJECT, body[0], "Transfer-Encoding: chunked") + "\r\n5;a").encode(),
            "waits for a 100": (self.head("PUT", OBJECT, *body, "Expect: 100-continue") + "\r\n").encode(),
            "idle": b"GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n",
            "does not end": b"GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        }
        with Server(self.folder, "--store", "memory:", "--import", self.data, "--insecure-http", *self.FLAGS,
                    tls=False) as server:
            for name, data in manners.items():
                with self.subTest(name), self.crowd(server, data):
                    self.assert_healthy_client_is_served(server)
            reads_nothing = (self.head("GET", OBJECT + "/fichier-modele") + "\r\n").encode()
            with self.crowd(server, reads_nothing, count=16):
                self.assert_healthy_client_is_served(server)

    def test_under_tls(self):
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"  # the beginning of a handshake
        with Server(self.folder, "--store", "memory:", "--import", self.data, *self.FLAGS) as server:
            for name, data in {"silent": b"", "slow handshake": hello}.items():
                with self.subTest(name), self.crowd(server, data):
                    self.assert_healthy_client_is_served(server)
            with contextlib.ExitStack() as stack:  # idle, and slow heads
                for number in range(MANY):
                    connection = stack.enter_context(server.connect())
                    connection.send(f"GET /health/live HTTP/1.1\r\nHost: h\r\n{'X: ' if number % 2 else chr(13) + chr(10)}")
                self.assert_healthy_client_is_served(server)

    def test_all_of_a_head_and_of_a_body_must_come_in_time(self):
        """A client that sends single bytes steadily does not extend the deadline."""
        with Server(self.folder, "--store", "memory:", "--import", self.data, "--insecure-http", *self.FLAGS,
                    tls=False) as server:
            slow_head, slow_body, silent_body, silent_chunk = [server.connect() for _ in range(4)]
            with slow_head, slow_body, silent_body, silent_chunk:
                slow_head.send("GET / HTTP/1.1\r\nHost: h\r\nX: ")
                for connection in (slow_body, silent_body):
                    connection.send(self.head("PUT", OBJECT, "Content-Type: application/json", "Content-Length: 60000") + "\r\n{")
                silent_chunk.send(self.head("PUT", OBJECT, "Content-Type: application/json", "Transfer-Encoding: chunked") + "\r\n5\r\n{")
                self.drip_until_the_end(slow_head)
                self.assertEqual(slow_head.reader.read(), b"")
                self.drip_until_the_end(slow_body)
                for connection in (slow_body, silent_body, silent_chunk):
                    answer = connection.read()
                    self.assertEqual((answer.status, answer["Connection"], answer["Retry-After"]), (408, "close", None))
                    self.assertEqual(answer.json()["error"]["message"], "The body of the request did not arrive in time!")
            self.assert_levels(server, {408: "info"})

    def test_a_body_that_breaks_off_is_the_fault_of_its_client(self):
        fields = {
            "within a length": ["Content-Length: 100", "", '{"utilisablePourLiasse":true'],
            "before a length": ["Content-Length: 100", "", ""],
            "within a chunk": ["Transfer-Encoding: chunked", "", "5\r\n{"],
            "within a size line": ["Transfer-Encoding: chunked", "", "5"],
            "before the last chunk": ["Transfer-Encoding: chunked", "", "2\r\n{}\r\n"],
            "before the end of the trailers": ["Transfer-Encoding: chunked", "", "2\r\n{}\r\n0\r\n"],
        }
        with Server(self.folder, "--store", "memory:", "--import", self.data, "--insecure-http", *self.FLAGS,
                    tls=False) as server:
            for name, lines in fields.items():
                with self.subTest(name), server.connect() as connection:
                    connection.send(self.head("PUT", OBJECT, "Content-Type: application/json", *lines).removesuffix("\r\n"))
                    connection.socket.shutdown(socket.SHUT_WR)
                    answer = connection.read()
                    self.assertEqual((answer.status, answer["Connection"], answer["Retry-After"]), (400, "close", None))
                    self.assertEqual(answer.json()["error"]["message"], "The body of the request is incomplete!")
            with server.connect() as connection:  # the client does not wait for the answer
                connection.send(self.head("PUT", OBJECT, "Content-Type: application/json", "Content-Length: 9") + "\r\n{")
            self.assert_levels(server, {400: "info"})

    def assert_levels(self, server, expected):
        """Ends the server, whose log must have these levels for the statuses of PUTs, and no error."""
        self.assertEqual(server.stop(), 0)
        lines = server.log_lines()
        self.assertEqual({line["status"]: line["level"] for line in lines if line.get("method") == "PUT"}, expected)
        self.assertNotIn("error", [line["level"] for line in lines])

    def test_connections_that_keep_the_server_waiting_are_closed(self):
        """10 s without a handshake, 15 s without a request, 30 s without reading an answer: all concurrently."""
        flags = ["--store", "memory:", "--import", self.data, *self.FLAGS]
        with Server(self.folder, *flags) as tls, Server(self.folder, *flags, "--insecure-http", tls=False) as clear, \
                contextlib.ExitStack() as stack:
            silent, shaking = (stack.enter_context(socket.create_connection(("127.0.0.1", tls.port))) for _ in range(2))
            shaking.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            idle = stack.enter_context(clear.connect())
            self.assertEqual(idle.request("GET", "/health/live").status, 200)
            greedy = stack.enter_context(slow_client(clear.port, self.head("GET", OBJECT + "/fichier-modele") + "\r\n"))
            for raw in (silent, shaking):
                raw.settimeout(PATIENCE)
                self.assertEqual(raw.recv(1), b"")
            self.assertTrue(idle.is_ended())
            # A client that reads later sees that the answer is incomplete: the connection was reset.
            until(lambda: self.is_reset(greedy), "the answer to be broken off")

    def is_reset(self, connection):
        """Whether the peer has reset the connection; reads nothing."""
        return connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ECONNRESET

    def drip_until_the_end(self, connection):
        """Sends a byte ten times a second until the server closes its side."""
        deadline = time.monotonic() + PATIENCE
        connection.socket.settimeout(0.1)
        while time.monotonic() < deadline:
            try:
                connection.send(" ")
                if connection.socket.recv(1, socket.MSG_PEEK) is not None:
                    connection.socket.settimeout(PATIENCE)
                    return
            except TimeoutError:
                continue
            except (ConnectionResetError, BrokenPipeError):
                connection.socket.settimeout(PATIENCE)
                return
        self.fail("the server waits for ever")


class TooManyConnections(PortailTest):
    def test_from_one_address(self):
        with Server(self.folder, "--store", "memory:", "--insecure-http", "--max-connections-per-address", "3",
                    tls=False) as server:
            self.assert_fourth_is_refused(server)

    def test_in_all(self):
        with Server(self.folder, "--store", "memory:", "--insecure-http", "--max-connections", "3", tls=False) as server:
            self.assert_fourth_is_refused(server)

    def test_the_limit_of_open_files_is_a_limit_too(self):
        """The soft limit is raised to the hard one, and 64 descriptors are kept for files."""
        with Server(self.folder, "--store", "memory:", "--max-connections", "1000", tracer=["prlimit", "--nofile=150:200"]) as server:
            # Without a wait: the warnings of the start are in the log before the server prints its address.
            lines = server.events("fewer connections than --max-connections: the limit of open files is too low")
            self.assertEqual([line["detail"] for line in lines], ["1000 wanted, 136 possible"])
            with open(f"/proc/{server.process.pid}/limits", encoding="ascii") as limits:
                self.assertRegex(limits.read(), r"(?m)^Max open files +200 +200 ")

    def test_a_trusted_proxy_is_many_clients(self):
        with Server(self.folder, "--store", "memory:", "--transport", "forwarded", "--trusted-proxy", "127.0.0.1",
                    "--max-connections-per-address", "3", "--max-connections", "5", tls=False) as server:
            self.assert_last_is_refused(server, 5)

    def test_under_tls_nothing_is_said(self):
        with Server(self.folder, "--store", "memory:", "--max-connections", "1") as server, server.connect() as first:
            self.assertEqual(first.request("GET", "/health/live").status, 200)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                server.connect()
            self.assertEqual(first.request("GET", "/health/live").status, 200)

    def assert_fourth_is_refused(self, server):
        self.assert_last_is_refused(server, 3)

    def assert_last_is_refused(self, server, max_connections):
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(server.connect()) for _ in range(max_connections)]
            for connection in connections:
                self.assertEqual(connection.request("GET", "/health/live").status, 200)
            with server.connect() as refused:  # sends nothing: unread data would reset the connection and lose the answer
                answer = refused.read()
                self.assertEqual((answer.status, answer["Connection"]), (503, "close"))
                self.assertEqual(answer["Retry-After"], "5")
                self.assertEqual(answer["_AbpErrorFormat"], "true")
                self.assertTrue(refused.is_ended())
            for connection in connections:
                self.assertEqual(connection.request("GET", "/health/live").status, 200)
            connections[0].close()
            until(lambda: self.is_served(server), "the slot of a closed connection")

    def is_served(self, server):
        with contextlib.suppress(ConnectionError):
            return server.ask("GET", "/health/live").status == 200
        return False


if __name__ == "__main__":
    unittest.main()
