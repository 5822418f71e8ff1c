"""`portail migrate`: copies every key and value to another store, and resumes after interruptions."""

import pathlib
import shutil
import subprocess
import unittest

from support.postgres import Postgres
from support.program import PROGRAM, PortailTest, clean_environment, must_run, run, until
from support.valkey import Valkey


class MigrateTest(PortailTest):
    def setUp(self):
        for name in ("source", "target", "other"):
            shutil.rmtree(self.path(name), ignore_errors=True)
        self.source = f"lmdb:{self.path('source')}"
        self.files = pathlib.Path(self.path("target"))  # the files of the target's values
        self.target = f"dir:{self.files}"

    def make_source(self, **size):
        must_run("import", "--store", self.source, self.document(**size))
        return len(self.values(self.source)) - 1  # format is not counted

    def values(self, store):
        done = run("export", "--store", store, "--format", "json-lines")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def assert_migrates(self, source, target, keys, copied=None):
        done = run("migrate", source, target)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], rf"^migrated         {keys} keys, [1-9]\d+ bytes, hash [0-9a-f]{{32}}$")
        self.assertEqual(lines[1:], [] if copied is None else [f"copied           {copied} keys, since the others were there"])
        self.assertEqual(self.values(target), self.values(source))

    def test_all_keys_and_values_arrive_and_come_back(self):
        must_run("import", "--store", self.target, self.document())
        (self.files / "consultation.x.0").write_bytes(bytes(range(256)))
        (self.files / "consultation.x.1").write_bytes(b"")
        (self.files / "consultation.x.2").write_bytes(b"x" * 256 * 1024)
        keys = len(self.values(self.target)) - 1  # format is written last, and not counted
        stored = "".join(self.values(self.target))
        self.assertIn('"key":"audit.', stored)
        self.assertIn('"key":"consultation.x.2"', stored)
        self.assert_migrates(self.target, self.source, keys)
        self.assert_migrates(self.source, f"dir:{self.path('other')}", keys)
        self.assertEqual(self.values(f"dir:{self.path('other')}"), self.values(self.target))
        self.assertEqual(run("export", "--store", self.source).stdout, run("export", "--store", self.target).stdout)

    def test_to_a_server_over_the_network_and_back(self):
        keys = self.make_source()
        with Valkey() as valkey:
            valkey.cli("set", "another:program's", "own")
            self.assert_migrates(self.source, valkey.url, keys)
            self.assert_migrates(valkey.url, self.target, keys)
            self.assertEqual(valkey.cli("get", "another:program's"), "own")

    def test_to_a_database_and_back(self):
        keys = self.make_source()
        with Postgres() as postgres:
            self.assert_migrates(self.source, postgres.url, keys)
            self.assert_migrates(postgres.url, self.target, keys)

    def test_an_interrupted_one_goes_on_where_it_was(self):
        keys = self.make_source()
        self.assert_migrates(self.source, self.target, keys)
        (self.files / "format").unlink()
        (self.files / "configuration").write_text("[]")
        (self.files / "tiers.=541").unlink()
        # An incomplete store is not served.
        self.assert_one_line(run("migrate", self.target, self.source), 1, f"{self.target} holds no portal: there is nothing to migrate")
        self.assert_migrates(self.source, self.target, keys, copied=2)

    def test_a_killed_one_is_finished_by_the_next(self):
        keys = self.make_source(bundles=3000)
        process = subprocess.Popen([PROGRAM, "migrate", self.source, self.target], env=clean_environment(),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.files.is_dir() and len(list(self.files.iterdir())) > 100, "some values that are copied")
        process.kill()
        self.assertEqual(process.wait(), -9, "it had ended before")
        self.assertFalse((self.files / "format").exists())
        done = run("migrate", self.source, self.target)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"migrated         {keys} keys,", done.stdout)
        self.assertIn(" keys, since the others were there\n", done.stdout)
        self.assertEqual(self.values(self.target), self.values(self.source))

    def test_nothing_is_migrated_into_what_is_not_empty(self):
        keys = self.make_source()
        self.assert_migrates(self.source, self.target, keys)
        self.assert_one_line(run("migrate", self.source, self.target), 1, f"{self.target} already holds a portal: name an empty store")
        (self.files / "format").unlink()
        (self.files / "consultation.x.0").write_text("{}")
        self.assert_one_line(run("migrate", self.source, self.target), 1,
                             f"{self.target} holds 1 key that {self.source} does not: empty it, and migrate again")
        self.assertFalse((self.files / "format").exists())
        self.assertEqual((self.files / "consultation.x.0").read_text(), "{}")

    def test_foreign_values_are_detected_before_anything_is_written(self):
        self.make_source()
        (self.files / "~writers").mkdir(parents=True)
        (self.files / "configuration").write_text("[]")
        (self.files / "consultation.x.0").write_text("{}")
        self.assert_one_line(run("migrate", self.source, self.target), 1,
                             f"{self.target} holds 1 key that {self.source} does not: empty it, and migrate again")
        self.assertEqual((self.files / "configuration").read_text(), "[]")
        self.assertEqual(sorted(path.name for path in self.files.iterdir() if not path.name.startswith("~")),
                         ["configuration", "consultation.x.0"])

    def test_a_source_that_is_no_portal_of_this_version(self):
        (self.files).mkdir()
        self.assert_one_line(run("migrate", self.target, self.source), 1, f"{self.target} holds no portal: there is nothing to migrate")
        (self.files / "format").write_text("2")
        self.assert_one_line(run("migrate", self.target, self.source), 1, "was written by a newer version of portail")
        self.assertFalse(pathlib.Path(self.path("source")).exists())

    def test_stores_that_are_one_or_do_not_last(self):
        self.make_source()
        link = self.path("link")
        pathlib.Path(link).symlink_to(self.path("source"))
        for target in (self.source, f"lmdb:{link}", f"dir:{self.path('source')}"):
            self.assert_one_line(run("migrate", self.source, target), 2, "FROM and TO are one store")
        file = f"spin-sqlite:{self.path('spin.db')}"
        must_run("import", "--store", file, self.path("portail.json"))
        self.assert_one_line(run("migrate", file, f"{file}?label=other"), 2,
                             "FROM and TO are in one file: migrate to another store, and from there")
        self.assert_one_line(run("migrate", self.source, "memory:"), 2, "TO: memory: is not persistent")
        self.assert_one_line(run("migrate", "memory:", self.target), 2, "FROM: memory: is not persistent")
        self.assert_one_line(run("migrate", self.source, "paper:data"), 2, "TO: unknown store paper")
        self.assert_one_line(run("migrate", self.source), 2, "TO is missing")

    def test_an_import_meanwhile_is_kept_out(self):
        self.make_source()
        with Valkey() as valkey:
            valkey.cli("set", "portail:import", "another import", "px", "30000")
            self.assert_one_line(run("migrate", self.source, valkey.url), 1, f"another import is running on {valkey.url}")
            self.assertEqual(valkey.cli("keys", "*"), "portail:import")

    def test_write_failures_are_reported_without_a_password(self):
        self.make_source()
        with Valkey("--requirepass", "builder", "--maxmemory", "1") as valkey:
            done = run("migrate", self.source, f"redis://:builder@127.0.0.1:{valkey.port}/0")
            self.assert_one_line(done, 1, "it has no memory left (OOM)")
            self.assertNotIn("builder", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
