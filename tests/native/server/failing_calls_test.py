"""System calls that fail while the server runs: strace injects the failures in turn. One client may lose its connection; all others are
served, or the process ends with a reason."""

import contextlib
import os
import resource
import ssl
import subprocess
import unittest

from support.injection import Injection
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, must_run, needs_strace

LIST = "/api/app/liasse"
PARTS = ("--metrics-listen", "127.0.0.1:0", "--manage-listen", "127.0.0.1:0", "--manage-subject", "sub-admin")
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
            for when in range(5, 14):  # the first four belong to the start
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

    def test_a_listener_that_cannot_be_watched_ends_the_start(self):
        for error, reason in (("ENOMEM", "Cannot allocate memory"), ("ENOSPC", "No space left on device")):
            with self.subTest(error=error), Injection("epoll_ctl", error, 4) as injection:
                self.assertEqual(self.start(injection.tracer(), parts=()),
                                 (1, "", [f"portail: connections cannot be accepted: {reason}"]))

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

    def start(self, tracer=(), parts=PARTS, **options):
        """Starts a server, and stops it once it listens. Returns its exit status, standard output, and messages on standard error."""
        flags = [*self.accepting(), "--store", "memory:", "--import", self.data, "--workers", "3", "--listen", "127.0.0.1:0", *parts]
        with subprocess.Popen([*tracer, PROGRAM, "serve", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=clean_environment() | {"ASAN_OPTIONS": "detect_leaks=0"}, **options) as process:
            printed = process.stdout.readline()
            if printed:
                process.terminate()
            errors = process.communicate(timeout=PATIENCE)[1].splitlines()
            return process.returncode, printed, [line for line in errors if line.startswith("portail: ") and "imported" not in line]

    def test_a_dry_run_writes_nothing_to_the_folder_of_the_store(self):
        store = self.path("read-only")
        must_run("import", "--store", f"lmdb:{store}", self.data)
        # The first three calls open the store.
        for flags, status, failed in (((), 1, True), (("--dry-run",), 0, False)):
            with self.subTest(flags=flags), Injection("openat", "EROFS", "4+") as injection, open(self.data, encoding="utf-8") as document:
                done = subprocess.run([*injection.flags(), "-P", store, PROGRAM, "import", "--store", f"lmdb:{store}", *flags, "-"], stdin=document,
                                      capture_output=True, text=True, check=False, env=clean_environment() | {"ASAN_OPTIONS": "detect_leaks=0", "TMPDIR": ""})
                self.assertEqual((done.returncode, injection.count() > 0), (status, failed), done.stderr)

    def test_a_thread_that_cannot_be_started_ends_the_start(self):
        first = 2 if "thread" in os.environ.get("TEST_SANITIZE", "") else 1  # a thread sanitizer has one of its own
        for when in range(first, 30):
            with self.subTest(when=when), Injection("clone3", "EAGAIN", when) as injection:
                status, printed, messages = self.start(injection.tracer())
                if injection.count() == 0:
                    break
                self.assertEqual((status, printed, messages), (1, "", [
                    "portail: cannot start a thread: Resource temporarily unavailable: raise the limit of threads and processes "
                    "(ulimit -u; systemd: TasksMax; containers: --pids-limit), or of memory (ulimit -v)"]))
        self.assertGreater(when, 3 + 4 + 2 + 5)  # the workers of three servers, two threads that run them, keys, log, signals
        self.assertEqual((status, messages), (0, []))
        self.assertIn("listening on", printed)

    def test_a_check_that_cannot_start_a_thread_names_the_limit(self):
        with Server(self.folder, "--store", "memory:", "--import", self.data) as server, Injection("clone3", "EAGAIN", "1+") as injection:
            done = subprocess.run([*injection.tracer(), PROGRAM, "check", f"https://localhost:{server.port}", "--ca-file",
                                   self.path("certificate.pem")], capture_output=True, text=True, timeout=PATIENCE,
                                  env=clean_environment() | {"ASAN_OPTIONS": "detect_leaks=0"})
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot start a thread: Resource temporarily unavailable: raise the limit of threads", done.stdout + done.stderr)

    def test_too_few_open_files_end_the_start(self):
        outcomes = set()
        for limit in range(5, 60):
            with self.subTest(limit=limit):
                status, printed, messages = self.start(
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                if printed:
                    break
                self.assertEqual((status, len(messages)), (1, 1))
                outcomes.add(messages[0])
        self.assertIn("listening on", printed)
        self.assertIn("portail: connections cannot be polled: Too many open files: raise the limit of open files (ulimit -n)", outcomes)

    def test_unsupported_socket_options_are_ignored(self):
        with self.server("setsockopt", "ENOBUFS", "4+") as server:  # those before are the listener's
            self.assertEqual(self.answered(server), 10)


if __name__ == "__main__":
    unittest.main()
