"""Commands over PostgreSQL, and over Valkey, through a proxy of faults: whichever question or answer is lost, each command succeeds whole,
or ends with one line and status 1, leaves nothing that passes for whole, and is done by the next one."""

import concurrent.futures
import contextlib
import pathlib
import shutil
import time
import unittest

from support.faults import Fault, Faults
from support.postgres import Postgres
from support.program import PortailTest, run, until
from support.valkey import Valkey

MOST_QUESTIONS = 200  # more than a command asks
LOCK_LEFT_BEHIND = 30  # seconds; an import that was killed leaves one in Redis
LONGEST_CALL = 10  # seconds
LOST_LOCK = "the lock of the import was lost, and another one may be running"


class CommandFaults:
    """Over whatever `make_engine` makes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.running = contextlib.ExitStack()
        cls.engine = cls.running.enter_context(cls.make_engine())
        cls.faults = cls.running.enter_context(Faults(cls.engine.port))
        cls.through_faults = cls.engine.url_at(cls.faults.port)
        cls.source = f"lmdb:{cls.path('source')}"
        assert run("import", "--store", cls.source, cls.document()).returncode == 0
        cls.exported = run("export", "--store", cls.source).stdout

    @classmethod
    def tearDownClass(cls):
        cls.running.close()
        super().tearDownClass()

    def values(self, store):
        done = run("export", "--store", store, "--format", "json-lines")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def let_in(self, *command):
        """Succeeds, once the engine has noticed that the one before has gone."""
        began = time.monotonic()
        until(lambda: run(*command).returncode == 0, f"{command[0]} to succeed")
        self.assertLess(time.monotonic() - began, LOCK_LEFT_BEHIND / 2)

    def hit_each(self, begin, command, look, *lines):
        """What the command asks, or is answered, one after the other, each of another run of it; the last run is not hit. What a run leaves is
        looked at by `look`, which is told whether it succeeded. One that does not names the engine, or says one of these lines."""
        for fault in (Fault.LOST, Fault.UNSENT):
            outcomes = set()
            for number in range(1, MOST_QUESTIONS):
                with self.subTest(fault=fault, number=number):
                    begin()
                    self.faults.hit(number, fault)
                    done = run(*command)
                    has_hit = self.faults.has_hit()
                    self.faults.be(Fault.NONE)
                    if done.returncode:
                        self.assert_one_line(done, 1)
                        self.assertTrue(any(line in done.stderr for line in (f"127.0.0.1:{self.faults.port}", *lines)), done.stderr)
                    look(done.returncode == 0)
                    outcomes.add(done.returncode)
                    if not has_hit:
                        break
            else:
                self.fail("the command has no end")
            self.assertEqual((done.returncode, outcomes), (0, {0, 1}))

    def test_import(self):
        def look(succeeded):
            if not succeeded:
                self.let_in("import", "--store", self.engine.url, self.path("portail.json"))
            self.assertEqual(run("export", "--store", self.engine.url).stdout, self.exported)

        self.hit_each(self.empty, ("import", "--store", self.through_faults, self.path("portail.json")), look,
                      LOST_LOCK)
        audit = run("audit", "--store", self.engine.url, "--json")
        self.assertEqual((audit.returncode, audit.stderr), (0, ""))

    def test_export(self):
        output = pathlib.Path(self.path("exported.json"))

        def look(succeeded):
            self.assertEqual(output.read_text(encoding="utf-8") if output.exists() else None, self.exported if succeeded else None)

        self.empty()
        self.let_in("import", "--store", self.engine.url, self.path("portail.json"))
        self.hit_each(lambda: output.unlink(missing_ok=True), ("export", "--store", self.through_faults, "--output", output), look)

    def test_silence_is_told_in_time(self):
        self.empty()
        self.let_in("import", "--store", self.engine.url, self.path("portail.json"))
        output = pathlib.Path(self.path("silent.json"))
        other = self.document("other.json", bundles=1000)
        with Faults(self.engine.port) as line, concurrent.futures.ThreadPoolExecutor() as threads:
            began = time.monotonic()
            for faults in (self.faults, line):
                faults.hit(self.answers_before_silence + 1, Fault.SILENT)
            commands = (("export", "--store", self.through_faults, "--output", output),
                        ("import", "--store", self.engine.url_at(line.port), other))
            for done in threads.map(lambda command: run(*command), commands):
                self.assert_one_line(done, 1)
                self.assertRegex(done.stderr, "timed out|timeout expired")  # a call, or connecting
            self.assertLess(time.monotonic() - began, 2 * LONGEST_CALL + 5)  # an import lets go of its lock, too
        self.faults.be(Fault.NONE)
        self.assertFalse(output.exists())
        self.let_in("import", "--store", self.engine.url, other)

    def test_migrate_there(self):
        def look(succeeded):
            if not succeeded:  # it is no portal, for into such a one nothing is migrated
                self.let_in("migrate", self.source, self.engine.url)
            self.assertEqual(self.values(self.engine.url), self.values(self.source))

        self.hit_each(self.empty, ("migrate", self.source, self.through_faults), look, LOST_LOCK)

    def test_migrate_from_there(self):
        target = self.path("target")

        def look(succeeded):
            if not succeeded:
                self.let_in("migrate", self.engine.url, f"dir:{target}")
            self.assertEqual(self.values(f"dir:{target}"), self.values(self.source))

        self.empty()
        self.let_in("migrate", self.source, self.engine.url)
        self.hit_each(lambda: shutil.rmtree(target, ignore_errors=True), ("migrate", self.through_faults, f"dir:{target}"), look)


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
