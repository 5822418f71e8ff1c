"""System calls that fail while the server runs: strace injects the failures in turn. One client may lose its connection; all others are
served, or the process ends with a reason."""

import contextlib
import ssl
import unittest

from support.injection import Injection
from support.program import PATIENCE, PortailTest, Server, needs_strace

LIST = "/api/app/liasse"
UNWATCHED = "connections are closed: the machine has no resources to poll them"


@needs_strace
class FailingCallsTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.data = cls.document(bundles=20)
        cls.auth = cls.bearer()

    @contextlib.contextmanager
    def server(self, call, error, when, *flags, **options):
        """Starts a server with one worker whose calls `call` fail at the positions `when`, counted by thread. The block fails if no call
        failed."""
        with Injection(call, error, when) as injection, \
                Server(self.folder, "--store", "memory:", "--import", self.data, "--workers", "1", *flags, tracer=injection.tracer(),
                       environment={"ASAN_OPTIONS": "detect_leaks=0"}, **options) as server:
            yield server
            self.assertGreater(injection.count(), 0, "no call failed")

    def answered(self, server):
        """Returns how many of ten requests are answered, each on a separate connection; every answer is complete."""
        count = 0
        for _ in range(10):
            try:
                answer = server.ask("GET", LIST, [self.auth])
            except (OSError, EOFError, ssl.SSLError):
                continue
            if answer is not None:
                self.assertEqual((answer.status, len(answer.json())), (200, 20))
                count += 1
        return count

    def test_a_connection_that_cannot_be_watched_costs_no_other(self):
        for error in ("ENOMEM", "ENOSPC"):
            outcomes = set()
            for when in range(4, 14):  # the first three belong to the start
                with self.subTest(error=error, when=when), \
                        self.server("epoll_ctl", error, when, "--insecure-http", tls=False) as server:
                    if self.answered(server) >= 9:
                        self.assertEqual(server.stop(), 0)
                        outcomes.add("served")
                        outcomes.update(line["event"] for line in server.events(UNWATCHED))
                    else:
                        self.assertEqual(server.process.wait(PATIENCE), 1)
                        self.assertIn("portail: no more connections can be accepted: ", server.log())
                        outcomes.add("ended")
            # A connection that goes on waiting, one that is new, and the listener.
            self.assertEqual(outcomes, {"served", UNWATCHED, "ended"})

    def test_waiting_that_is_interrupted_goes_on(self):
        with self.server("epoll_wait", "EINTR", "1..200") as server:
            self.assertEqual(self.answered(server), 10)
            self.assertEqual(server.stop(), 0)

    def test_bytes_that_cannot_be_sent_or_received_cost_their_connection(self):
        for tls in (True, False):
            flags = () if tls else ("--insecure-http",)
            for call in ("sendto", "recvfrom"):
                for error in ("EPIPE", "EIO", "ENOBUFS", "ENOMEM", "ECONNRESET", "ETIMEDOUT"):
                    with self.subTest(call=call, error=error, tls=tls), self.server(call, error, "3", *flags, tls=tls) as server:
                        self.assertGreaterEqual(self.answered(server), 9)
                        self.assertEqual(server.stop(), 0)
            for call in ("sendto", "recvfrom"):
                for error in ("EINTR", "EAGAIN"):
                    with self.subTest(call=call, error=error, tls=tls), self.server(call, error, "2..40+2", *flags, tls=tls) as server:
                        self.assertEqual(self.answered(server), 10)
                        self.assertEqual(server.stop(), 0)

    def test_unsupported_socket_options_are_ignored(self):
        with self.server("setsockopt", "ENOBUFS", "4+") as server:  # those before are the listener's
            self.assertEqual(self.answered(server), 10)


if __name__ == "__main__":
    unittest.main()
