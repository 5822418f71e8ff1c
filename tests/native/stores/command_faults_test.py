"""Commands over PostgreSQL, and over Valkey, through a fault proxy. If any request or answer is lost, the command succeeds completely,
or ends with one line and status 1, leaves nothing that looks complete, and the next run of it succeeds."""

import concurrent.futures
import pathlib
import shutil
import time
import unittest

from support.faults import Fault, Faults
from support.postgres import Postgres
from support.program import STALL, PortailTest, run, until
from support.valkey import Valkey

MAX_REQUESTS = 200  # more than a command sends
LOCK_LEFT_BEHIND = 30  # seconds; an import that was killed leaves one in Redis
CALL_TIMEOUT = 10  # seconds
LOST_LOCK = "the lock of the import was lost, and another one may be running"


class CommandFaults:
    """Tests over the engine that `make_engine` starts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = cls.enterClassContext(cls.make_engine())
        cls.faults = cls.enterClassContext(Faults(cls.engine.port))
        cls.through_faults = cls.engine.url_at(cls.faults.port)
        cls.source = f"lmdb:{cls.path('source')}"
        assert run("import", "--store", cls.source, cls.document()).returncode == 0
        cls.exported = run("export", "--store", cls.source).stdout

    def values(self, store):
        done = run("export", "--store", store, "--format", "json-lines")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def run_until_unlocked(self, *command):
        """Runs the command until it succeeds: the engine must first detect the end of the previous one."""
        began = time.monotonic()
        until(lambda: run(*command).returncode == 0, f"{command[0]} to succeed")
        self.assertLess(time.monotonic() - began, LOCK_LEFT_BEHIND / 2)

    def inject_each(self, begin, command, verify, *lines):
        """Runs the command once for each of its requests and answers, with the fault at that one; the last run has no fault. After each run,
        `verify` is called with whether it succeeded. The message of a failed run names the engine, or contains one of `lines`."""
        for fault in (Fault.LOST, Fault.UNSENT):
            outcomes = set()
            for number in range(1, MAX_REQUESTS):
                with self.subTest(fault=fault, number=number):
                    begin()
                    self.faults.inject_once(number, fault)
                    done = run(*command)
                    was_injected = self.faults.was_injected()
                    self.faults.set_fault(Fault.NONE)
                    if done.returncode:
                        self.assert_one_line(done, 1)
                        self.assertTrue(any(line in done.stderr for line in (f"127.0.0.1:{self.faults.port}", *lines)), done.stderr)
                    verify(done.returncode == 0)
                    outcomes.add(done.returncode)
                    if not was_injected:
                        break
            else:
                self.fail("the command has no end")
            self.assertEqual((done.returncode, outcomes), (0, {0, 1}))

    def test_import(self):
        def verify(succeeded):
            if not succeeded:
                self.run_until_unlocked("import", "--store", self.engine.url, self.path("portail.json"))
            self.assertEqual(run("export", "--store", self.engine.url).stdout, self.exported)

        self.inject_each(self.empty, ("import", "--store", self.through_faults, self.path("portail.json")), verify,
                         LOST_LOCK)
        audit = run("audit", "--store", self.engine.url, "--json")
        self.assertEqual((audit.returncode, audit.stderr), (0, ""))

    def test_export(self):
        output = pathlib.Path(self.path("exported.json"))

        def verify(succeeded):
            self.assertEqual(output.read_text(encoding="utf-8") if output.exists() else None, self.exported if succeeded else None)

        self.empty()
        self.run_until_unlocked("import", "--store", self.engine.url, self.path("portail.json"))
        self.inject_each(lambda: output.unlink(missing_ok=True), ("export", "--store", self.through_faults, "--output", output), verify)

    def test_silence_is_reported_in_time(self):
        self.empty()
        self.run_until_unlocked("import", "--store", self.engine.url, self.path("portail.json"))
        output = pathlib.Path(self.path("silent.json"))
        other = self.document("other.json", bundles=1000)
        with Faults(self.engine.port) as line, concurrent.futures.ThreadPoolExecutor() as threads:
            began = time.monotonic()
            for faults in (self.faults, line):
                faults.inject_once(self.answers_before_silence + 1, Fault.SILENT)
            commands = (("export", "--store", self.through_faults, "--output", output),
                        ("import", "--store", self.engine.url_at(line.port), other))
            for done in threads.map(lambda command: run(*command), commands):
                self.assert_one_line(done, 1)
                self.assertRegex(done.stderr, "timed out|timeout expired")  # a call, or connecting
            self.assertLess(time.monotonic() - began, 2 * CALL_TIMEOUT + STALL)  # an import releases its lock, too
        self.faults.set_fault(Fault.NONE)
        self.assertFalse(output.exists())
        self.run_until_unlocked("import", "--store", self.engine.url, other)

    def test_migrate_there(self):
        def verify(succeeded):
            if not succeeded:  # the target is incomplete: migrate refuses a complete one
                self.run_until_unlocked("migrate", self.source, self.engine.url)
            self.assertEqual(self.values(self.engine.url), self.values(self.source))

        self.inject_each(self.empty, ("migrate", self.source, self.through_faults), verify, LOST_LOCK)

    def test_migrate_from_there(self):
        target = self.path("target")

        def verify(succeeded):
            if not succeeded:
                self.run_until_unlocked("migrate", self.engine.url, f"dir:{target}")
            self.assertEqual(self.values(f"dir:{target}"), self.values(self.source))

        self.empty()
        self.run_until_unlocked("migrate", self.source, self.engine.url)
        self.inject_each(lambda: shutil.rmtree(target, ignore_errors=True), ("migrate", self.through_faults, f"dir:{target}"), verify)


class CommandFaultsOverPostgres(CommandFaults, PortailTest):
    make_engine = Postgres
    answers_before_silence = 15

    def empty(self):
        self.engine.sql("DROP TABLE IF EXISTS portail")


class CommandFaultsOverRedis(CommandFaults, PortailTest):
    make_engine = Valkey
    answers_before_silence = 4

    def empty(self):
        self.engine.cli("flushall")


if __name__ == "__main__":
    unittest.main()
