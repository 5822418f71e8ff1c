"""Overload: the server sheds new requests immediately, and accepts all of them again afterwards."""

import collections
import concurrent.futures
import ssl

from support.metrics import metrics_of, total
from support.program import PortailTest, Server, until

LIST = "/api/app/liasse"
ORIGIN = ("Origin", "https://portal.example")
CLIENTS = 48
AHEAD = 8  # requests that each client sends before it reads


class Crowd:
    """Clients that pipeline requests for a list until the block ends; records the statuses of the answers."""

    def __init__(self, server, headers, target=LIST):
        self.ends, self.statuses, self.refusals = False, [], []
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.requests = f"GET {target} HTTP/1.1\r\nHost: h\r\n{lines}\r\n".encode() * AHEAD
        # One after the other, before any client waits.
        self.connections = [server.connect() for _ in range(CLIENTS)]
        self.pool = concurrent.futures.ThreadPoolExecutor(CLIENTS)

    def __enter__(self):
        self.clients = [self.pool.submit(self.ask, connection) for connection in self.connections]
        return self

    def __exit__(self, kind, *_):
        """Raises the clients' exceptions. Each client has been answered at least once."""
        self.ends = True
        self.pool.shutdown()
        for connection in self.connections:
            connection.close()
        if kind is None:
            assert sum(client.result() for client in self.clients) == len(self.statuses) >= CLIENTS * AHEAD

    def ask(self, connection):
        """Returns the number of answers."""
        count = 0
        while not self.ends or count == 0:
            connection.send(self.requests)
            for _ in range(AHEAD):
                answer = connection.read()
                count += 1
                self.statuses.append(answer.status)
                if answer.status == 503:
                    self.refusals.append(answer)
        return count


class OverloadTest(PortailTest):
    """Runs one worker, with a limit that a crowd exceeds immediately."""

    FLAGS = ["--workers", "1", "--allow-origin", ORIGIN[1]]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth = cls.bearer()

    def start(self, *flags, queue_timeout=2, **options):
        return Server(self.folder, "--store", "memory:", "--import", self.document(bundles=200), "--queue-timeout", queue_timeout,
                      *self.FLAGS, *flags, **options)

    def test_a_crowd_is_answered_200_or_503_and_all_requests_are_accepted_afterwards(self):
        with self.start("--insecure-http", "--transport", "loopback", "--metrics-listen", "127.0.0.1:0", tls=False) as server:
            with Crowd(server, [self.auth, ORIGIN]) as crowd:
                refusal = until(lambda: crowd.refusals, "a request that is shed")[0]
                # Health probes and preflight requests are not shed.
                for _ in range(20):
                    self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                    self.assertEqual(server.ask("OPTIONS", LIST, [ORIGIN, ("Access-Control-Request-Method", "GET")]).status, 204)
            self.assertEqual(set(crowd.statuses), {200, 503})
            self.assertEqual(refusal["Retry-After"], "1")
            self.assertIsNone(refusal["Connection"])
            self.assertEqual(refusal["Access-Control-Allow-Origin"], ORIGIN[1])
            self.assertEqual(refusal["Cache-Control"], "no-store")
            self.assertRegex(refusal["X-Correlation-Id"], "^[0-9a-f]{32}$")
            self.assertEqual(list(refusal.json()), ["error"])
            # No request is pending: none is shed.
            until(lambda: server.ask("GET", LIST, [self.auth]).status == 200, "an answer")
            self.assertEqual([server.ask("GET", LIST, [self.auth]).status for _ in range(20)], [200] * 20)
            metrics = metrics_of(server)
            self.assertGreaterEqual(metrics["portail_shed_total"], len(crowd.refusals))
            self.assertEqual(total(metrics, "portail_requests_total", status="5xx"), metrics["portail_shed_total"])
            self.assertGreater(total(metrics, "portail_queue_delay_seconds_bucket", le="+Inf"),
                               total(metrics, "portail_queue_delay_seconds_bucket", le="0.0025"), "some waited longer than the timeout")
            lines = until(lambda: server.events("load is shed: requests wait too long for a worker"), "the line")
            self.assertEqual(len(lines), 1)
            self.assertRegex(lines[0]["detail"], "^[0-9]+ since the last report$")
            shed = [line for line in server.log_lines() if line.get("status") == 503]
            self.assertEqual({line["reason"] for line in shed}, {"The server is overloaded"})
            # At most ten lines in a second of the server's clock, which overlaps two of the lines' times.
            self.assertLessEqual(max(collections.Counter(line["time"].partition(".")[0] for line in shed).values()), 20)

    def test_under_tls_a_handshake_that_there_is_no_room_for_does_not_begin(self):
        def is_refused():
            try:
                with server.connect():
                    return False
            except (OSError, ssl.SSLError):
                return True
        with self.start() as server:
            with Crowd(server, [self.auth]) as crowd:
                until(is_refused, "a handshake that is refused")
                until(lambda: crowd.refusals, "a request that is shed on a connection that was there")
            self.assertEqual(set(crowd.statuses), {200, 503})
            until(lambda: not is_refused(), "a handshake")
            self.assertEqual([server.ask("GET", LIST, [self.auth]).status for _ in range(20)], [200] * 20)
