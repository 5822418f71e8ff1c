#!/usr/bin/env python3
"""`check_commits` of tools/lib/quality.sh, with a log of its own. Standard library only."""

import pathlib
import subprocess
import tempfile
import unittest

LIB = pathlib.Path(__file__).resolve().parents[2] / "tools/lib"


class QualityTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def bash(self, script):
        return subprocess.run(["bash", "-c", f"set -euo pipefail\nsource {LIB}/output.sh\nsource {LIB}/quality.sh\n{script}"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})

    def check_subject(self, subject):
        """Checks a history whose commits have these subjects: a good one, and the given one."""
        (self.folder / ".git").mkdir(exist_ok=True)
        (self.folder / "log").write_text(f"0123abc edge: a good one\n4567def {subject}\n")
        return self.bash("git() { cat log; }\ncheck_commits")

    def test_good_subjects(self):
        for subject in ("postgres: watch a duplicate of libpq's socket", "core/http: x", "edge, wasm: x", "a: Ÿ" + 68 * "x"):
            with self.subTest(subject):
                done = self.check_subject(subject)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_bad_subjects(self):
        self.assertIn("at most 72 characters:\n4567def a: xxx", self.check_subject("a: " + 70 * "x").stderr)
        for subject in ("a: " + 70 * "x", "Watch a duplicate", "postgres watch", "postgres:watch", "Postgres: watch", "postgres: ", ": watch"):
            with self.subTest(subject):
                done = self.check_subject(subject)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"4567def {subject}\n", done.stderr)
                self.assertNotIn("0123abc", done.stderr)

    def test_a_tree_without_the_history_is_skipped(self):
        without_repository = self.bash("check_commits")
        (self.folder / ".git").mkdir()
        for done in (without_repository, self.bash("git() { return 128; }\ncheck_commits")):
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, "skipped (lint): commit subjects: no repository with its history, or no git\n")


if __name__ == "__main__":
    unittest.main()
