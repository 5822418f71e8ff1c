"""What the server does when the system cannot give it a connection: strace makes accept4 fail as the kernel would."""

import os
import unittest

from support.program import PATIENCE, PortailTest, Server, needs_strace

HEALTH = "/health/live"


@needs_strace
class AcceptTest(PortailTest):
    def server(self, error, times):
        """A server whose first calls of accept4 fail; the tracer is no parent of it, and is gone with it."""
        tracer = ["strace", "-D", "-f", "-q", "-o", os.devnull, "-e", "trace=accept4", "-e",
                  f"inject=accept4:error={error}:when=1..{times}"]
        return Server(self.folder, "--store", "memory:", "--workers", "2", tracer=tracer,
                      environment={"ASAN_OPTIONS": "detect_leaks=0"})  # the two cannot trace at the same time

    def test_connections_wait_while_the_machine_has_no_room(self):
        for error, said in [("ENFILE", "Too many open files in system"), ("EMFILE", "Too many open files"),
                            ("ENOBUFS", "No buffer space available"), ("ENOMEM", "Cannot allocate memory")]:
            with self.subTest(error), self.server(error, 3) as server:
                self.assertEqual(server.ask("GET", HEALTH).status, 200)
                self.assertEqual(server.ask("GET", HEALTH).status, 200)
                warnings = server.events("connections wait: the machine has no room for them")
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
