"""If a command cannot write to standard output, it fails: one line on standard error, and status 1."""

import os
import subprocess
import unittest

from support.metrics import metrics_port
from support.program import AUDIENCE, ISSUER, PATIENCE, PROGRAM, PortailTest, Server, clean_environment, run

# The cause is printed unless the failure is detected only at the program's end.
NOT_WRITTEN = r"^portail: cannot write to standard output(: No space left on device)?\n$"
NOT_OPEN = r"^portail: cannot write to standard output(: Bad file descriptor)?\n$"


class StandardOutputTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store = f"lmdb:{cls.path('store')}"
        cls.document("portail.json")
        cls.checked = ("--store", cls.store, *cls.accepting())
        if run("import", "--store", cls.store, cls.path("portail.json")).returncode != 0:
            raise AssertionError("there is nothing to export")

    def commands(self):
        document = self.path("portail.json")
        return [("token", "--keys", self.path("keys.json"), "--issuer", ISSUER, "--audience", AUDIENCE),
                ("check", *self.checked), ("check", "--json", *self.checked), ("check", "--show", *self.checked),
                ("check", "--token", self.token(), *self.checked),
                ("check", "--token", self.token(), "--json", *self.checked),
                ("import", "--store", "memory:", document), ("import", "--json", "--store", "memory:", document),
                ("import", "--dry-run", "--store", self.store, document),
                ("export", "--store", self.store),
                ("export", "--json", "--store", self.store, "--output", self.path(f"copy-{os.urandom(4).hex()}.json")),
                ("audit", "--store", self.store), ("audit", "--json", "--store", self.store), ("audit", "--prune", "--store", self.store),
                ("migrate", self.store, f"lmdb:{self.path('copy-' + os.urandom(4).hex())}"),
                ("backup", "--store", self.store, self.path(f"backup-{os.urandom(4).hex()}")),
                ("keys", "show", self.path("public.json")), ("keys", "show", "--json", self.path("public.json")),
                ("completions", "bash"), ("manual",), ("help",), ("help", "serve"), ("keys", "--help"), ("version",), ("version", "--json"), ("--version",)]

    def run_into(self, output, *command, **options):
        return subprocess.run([PROGRAM, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, env=clean_environment(), **options)

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            for command in self.commands():
                with self.subTest(command=command):
                    done = self.run_into(full, *command)
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stderr, NOT_WRITTEN)

    def test_a_standard_output_that_is_closed_is_no_other_file(self):
        for command in self.commands():
            with self.subTest(command=command):
                done = self.run_into(None, *command, preexec_fn=lambda: os.close(1))
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, NOT_OPEN)

    def test_a_pipe_whose_reader_has_enough(self):
        for command in self.commands():
            with self.subTest(command=command):
                reader, writer = os.pipe()
                os.close(reader)
                done = self.run_into(writer, *command)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_another_fault_than_the_closed_pipe_is_reported(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.run_into(writer, "check", *self.checked, "--leeway", "soon")
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--leeway", done.stderr)

    def test_status(self):
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server, open("/dev/full", "wb") as full:
            for flags in ((), ("--json",), ("--watch", "1")):
                done = self.run_into(full, "status", "--metrics-listen", f"127.0.0.1:{metrics_port(server)}", *flags)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, NOT_WRITTEN)

    def test_a_fault_reported_earlier_stays_the_only_one(self):
        with open("/dev/full", "wb") as full:
            done = self.run_into(full, "keys", "show", self.path("missing.json"))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
            self.assertIn("missing.json", done.stderr)
            self.assertEqual(self.run_into(full, "serve", "--lsten", "x").returncode, 2)

    def test_a_command_that_writes_nothing(self):
        with open("/dev/full", "wb") as full:
            done = self.run_into(full, "keys", "make", "--output", self.path("made.json"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
