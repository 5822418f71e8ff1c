#!/usr/bin/env python3
"""Cache hits and misses of tools/lib/clang_tidy_once.py. Two scripts replace clang-tidy and clang: the first counts its runs and prints
the given findings, the second prints the includes of the source."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools/lib/clang_tidy_once.py"

TIDY = """#!/bin/sh
[ "$1" != --version ] || { cat version; exit; }
echo run >>runs
cat findings
exit $(cat status)
"""
CLANG = """#!/bin/sh
echo "$@" >clang
printf 'all: %s/part.cpp \\\\\\n  part.hpp\\n' "$PWD"
"""


class ClangTidyOnceTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for name, text in (("clang-tidy-19", TIDY), ("clang++-19", CLANG)):
            self.write(name, text).chmod(0o755)
        (self.folder / "cache").mkdir()
        for name, text in (("part.cpp", '#include "part.hpp"\n'), ("part.hpp", "int a;\n"), (".clang-tidy", "Checks: a\n"),
                           ("version", "19.1\n"), ("findings", ""), ("status", "0")):
            self.write(name, text)
        self.compile("clang++ -O2 -o part.o -c part.cpp")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def compile(self, command):
        self.write("compile_commands.json", json.dumps([
            {"directory": str(self.folder), "file": "other.cpp", "command": "clang++ -c other.cpp"},
            {"directory": str(self.folder), "file": "part.cpp", "command": command}]))

    def lint(self, *more, **environment):
        return subprocess.run(
            [sys.executable, "-B", PROGRAM, f"-p={self.folder}", "-quiet", *more, str(self.folder / "part.cpp")], cwd=self.folder,
            capture_output=True, text=True, timeout=60,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "TEST_LINT_CACHE": str(self.folder / "cache"),
                 **environment})

    def runs(self):
        path = self.folder / "runs"
        times = len(path.read_text().splitlines()) if path.exists() else 0
        path.unlink(missing_ok=True)
        return times

    def test_a_run_without_findings_is_cached(self):
        for times in (1, 0, 0):
            done = self.lint()
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(self.runs(), times)
        self.assertEqual((self.folder / "clang").read_text(), "-O2 part.cpp -w -M -MT all\n")

    def test_a_run_with_findings_is_not_cached(self):
        self.write("findings", "part.hpp:1: a is no name\n")
        for status in (1, 0):
            self.write("status", str(status))
            for _ in range(2):
                done = self.lint()
                self.assertEqual((done.returncode, done.stdout), (status, "part.hpp:1: a is no name\n"))
                self.assertEqual(self.runs(), 1)

    def test_every_change_of_the_input_is_a_miss(self):
        self.lint()
        self.assertEqual(self.runs(), 1)
        for change in (lambda: self.write("part.hpp", "int b;\n"), lambda: self.write("part.cpp", '#include "part.hpp" //\n'),
                       lambda: self.write(".clang-tidy", "Checks: b\n"), lambda: self.write("version", "19.2\n"),
                       lambda: self.compile("clang++ -O3 -o part.o -c part.cpp")):
            change()
            self.lint()
            self.assertEqual(self.runs(), 1)
            self.lint()
            self.assertEqual(self.runs(), 0)
        self.lint("-extra-arg=--target=wasm32")
        self.assertEqual(self.runs(), 1)
        self.assertEqual((self.folder / "clang").read_text(), "-O3 part.cpp --target=wasm32 -w -M -MT all\n")
        self.write("part.hpp", "int a;\n")
        self.lint()
        self.assertEqual(self.runs(), 1)

    def test_without_a_fingerprint_or_a_cache_it_runs(self):
        self.write("clang++-19", "#!/bin/sh\nexit 1\n")
        for _ in range(2):
            self.assertEqual(self.lint().returncode, 0)
            self.assertEqual(self.runs(), 1)
        for _ in range(2):
            self.lint(TEST_LINT_CACHE="")
            self.assertEqual(self.runs(), 1)

    def test_unused_entries_are_evicted(self):
        self.lint()
        (entry,) = (self.folder / "cache").iterdir()
        for days, left in ((29, [entry]), (31, [])):
            moment = time.time() - days * 24 * 60 * 60
            os.utime(entry, (moment, moment))
            subprocess.run([sys.executable, "-B", PROGRAM, "--evict", "30", self.folder / "cache"], check=True)
            self.assertEqual(list((self.folder / "cache").iterdir()), left)


if __name__ == "__main__":
    unittest.main()
