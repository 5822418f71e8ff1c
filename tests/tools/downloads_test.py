#!/usr/bin/env python3
"""`download` of tools/lib/output.sh and `kept_tree` of tools/lib/trees.sh, with commands that count their runs. Standard library only."""

import pathlib
import subprocess
import tempfile
import unittest

LIB = pathlib.Path(__file__).resolve().parents[2] / "tools/lib"
SETUP = f"""set -euo pipefail
source {LIB}/output.sh
source {LIB}/root.sh
source {LIB}/trees.sh
download_pauses=(0 0)
fetch() {{ echo run >>runs; cp -r fetched/. tree; }}
"""


class DownloadsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def bash(self, script):
        return subprocess.run(["bash", "-c", SETUP + script], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})

    def runs(self):
        return (self.folder / "runs").read_text().count("run")

    def download(self, failures):
        """Runs a download that fails so often before it succeeds."""
        command = self.folder / "command"
        command.write_text(f"#!/bin/sh\necho run >>runs\n[ $(wc -l <runs) -gt {failures} ] || {{ echo connection reset; exit 7; }}\n")
        command.chmod(0o755)
        return self.bash("download ./command")

    def test_a_download_that_fails_twice_succeeds(self):
        done = self.download(2)
        self.assertEqual((done.returncode, self.runs()), (0, 3), done.stderr)
        self.assertEqual(done.stderr.count("tools/dev: a download failed; again in 0 s: ./command\n"), 2)

    def test_one_that_fails_three_times_fails_with_its_output(self):
        done = self.download(3)
        self.assertEqual((done.returncode, self.runs()), (7, 3))
        self.assertEqual(done.stderr.count("connection reset\n"), 3)

    def keep(self, lock):
        (self.folder / "lock").write_text(lock)
        (self.folder / "fetched").mkdir(exist_ok=True)
        (self.folder / "fetched/file").write_text(lock)
        done = self.bash("kept_tree $PWD/tree lock fetch; cat tree/file; ls tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, self.runs()

    def test_a_tree_is_fetched_once_for_each_lock_file(self):
        self.assertEqual(self.keep("one"), ("onefile\n", 1))
        (self.folder / "tree/made").write_text("later")
        self.assertEqual(self.keep("one"), ("onefile\n", 1))
        self.assertEqual(self.keep("two"), ("twofile\n", 2))
        self.assertEqual(self.keep("one"), ("onefile\n", 2))

    def test_a_tree_whose_fetch_failed_is_not_kept(self):
        (self.folder / "lock").write_text("one")
        self.assertNotEqual(self.bash("kept_tree $PWD/tree lock false").returncode, 0)
        self.assertEqual(self.keep("one"), ("onefile\n", 1))


if __name__ == "__main__":
    unittest.main()
