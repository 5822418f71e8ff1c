"""Failures of accept4, which strace injects with the kernel's error codes."""

import contextlib

from support.injection import Injection
from support.program import PATIENCE, PortailTest, Server, needs_strace, until

HEALTH = "/health/live"


@needs_strace
class AcceptTest(PortailTest):
    @contextlib.contextmanager
    def server(self, error, times):
        """Starts a server whose first `times` calls of accept4 fail in each thread; the block fails if fewer calls failed."""
        with Injection("accept4", error, f"1..{times}") as injection, \
                Server(self.folder, "--store", "memory:", "--workers", "2", tracer=injection.tracer(),
                       environment={"ASAN_OPTIONS": "detect_leaks=0"}) as server:  # the two cannot trace at the same time
            yield server
            self.assertGreaterEqual(injection.count(), times)

    def test_connections_wait_while_the_machine_has_no_room(self):
        for error, said in [("ENFILE", "Too many open files in system"), ("EMFILE", "Too many open files"),
                            ("ENOBUFS", "No buffer space available"), ("ENOMEM", "Cannot allocate memory")]:
            with self.subTest(error), self.server(error, 3) as server:
                self.assertEqual(server.ask("GET", HEALTH).status, 200)
                self.assertEqual(server.ask("GET", HEALTH).status, 200)
                warnings = until(lambda: server.events("connections wait: the machine is out of resources"), "a line in the log")
                self.assertEqual([line["detail"] for line in warnings], [said])

    def test_a_connection_that_is_lost_costs_no_other(self):
        for error in ["EPROTO", "ECONNABORTED", "EINTR", "ENETDOWN", "EHOSTUNREACH", "EPERM"]:
            with self.subTest(error), self.server(error, 3) as server:
                self.assertEqual(server.ask("GET", HEALTH).status, 200)
                self.assertEqual(server.stop(), 0)

    def test_a_listener_that_cannot_go_on_ends_the_process_with_its_reason(self):
        with self.server("EINVAL", 1) as server:
            with self.assertRaises(OSError):
                server.ask("GET", HEALTH)
            self.assertEqual(server.process.wait(PATIENCE), 1)
            self.assertIn("portail: no more connections can be accepted: Invalid argument\n", server.log())
