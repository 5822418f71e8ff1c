#!/usr/bin/env python3
"""tools/lib/run_tests.py with tests of ctest that fail once, twice or always: which ones run again, and what is printed."""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))
import run_tests  # noqa: E402

PASSES = "true"
FAILS = "echo out of order; false"
FAILS_ONCE = "test -e {run} || {{ echo too slow; touch {run}; false; }}"
TIMED = "# comment\nsample/slow\\..* | a server\n"


class RunTestsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tests(self, arguments=(), **scripts):
        """Runs tests with these scripts, named with dots for underscores; {run} in one is the path of a file of its own. Returns the exit
        status and the lines."""
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        lines = []
        for name, script in scripts.items():
            command = script.format(run=self.folder / name)
            lines.append(f"add_test([=[{name.replace('_', '.')}]=] sh -c [=[echo run >>{self.folder}/runs.{name}; {command}]=])")
        (build / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        (self.folder / "CMakePresets.json").write_text(json.dumps({
            "version": 6, "configurePresets": [{"name": "sample", "generator": "Ninja", "binaryDir": str(build)}],
            "testPresets": [{"name": "sample", "configurePreset": "sample", "output": {"outputOnFailure": True}}]}))
        (self.folder / "timed.txt").write_text(TIMED)
        done = subprocess.run(
            [sys.executable, "-B", ROOT / "tools/lib/run_tests.py", "--results", self.folder / "results", "--timed", self.folder / "timed.txt",
             "sample", "--", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def runs(self, name):
        return len((self.folder / f"runs.{name}").read_text().splitlines())

    def test_a_line_for_each_test_and_the_count(self):
        status, lines = self.run_tests(slow_a=PASSES, quick_b=PASSES)
        self.assertEqual(status, 0, lines)
        self.assertRegex("\n".join(sorted(line for line in lines if line.startswith("["))),
                         r"^\[1/2\] 0\.\d s (slow\.a|quick\.b) ok\n\[2/2\] 0\.\d s (slow\.a|quick\.b) ok$")
        self.assertEqual((lines[0], lines[-1]), ("tests (sample) begin", "tests (sample): 2 passed, 0 failed, 0 skipped"))

    def test_one_that_fails_once_passes_and_is_named(self):
        status, lines = self.run_tests(slow_a=FAILS_ONCE, quick_b=PASSES)
        self.assertEqual((status, lines[-2:]), (0, ["flaky tests (sample): 1: slow.a", "tests (sample): 2 passed, 0 failed, 0 skipped"]))
        self.assertIn("again, alone: sample/slow.a", lines)
        self.assertLess(lines.index("too slow"), lines.index("again, alone: sample/slow.a"))
        self.assertEqual((self.runs("slow_a"), self.runs("quick_b")), (2, 1))

    def test_one_that_fails_twice_rejects(self):
        status, lines = self.run_tests(slow_a=FAILS, slow_b=FAILS_ONCE)
        self.assertEqual((status, self.runs("slow_a"), self.runs("slow_b")), (1, 2, 2))
        self.assertEqual(lines[-6:], [
            "failed (sample): slow.a: out of order", "flaky tests (sample): 1: slow.b", "tests (sample): 1 passed, 1 failed, 0 skipped",
            "failed: sample/slow.a", "  log: results/sample/slow.a.log", r"  again: tools/dev test sample -R '^slow\.a$'"])
        self.assertEqual((self.folder / "results/sample/slow.a.log").read_text(), "out of order\n")

    def test_one_that_is_not_listed_does_not_run_again(self):
        status, lines = self.run_tests(quick_a=FAILS_ONCE, slow_b=FAILS_ONCE)
        self.assertEqual((status, self.runs("quick_a"), self.runs("slow_b")), (1, 1, 1))
        self.assertIn("no test runs again: tests/timed.txt does not list sample/quick.a", lines)
        self.assertIn("tests (sample): 0 passed, 2 failed, 0 skipped", lines)

    def test_six_reject_and_five_do_not(self):
        status, lines = self.run_tests(**{f"slow_{number}": FAILS_ONCE for number in range(6)})
        self.assertEqual((status, self.runs("slow_0")), (1, 1))
        self.assertIn("no test runs again: 6 failed, more than 5", lines)
        for number in range(6):
            (self.folder / f"slow_{number}").unlink()
        status, lines = self.run_tests(**{f"slow_{number}": FAILS_ONCE for number in range(5)})
        self.assertEqual((status, self.runs("slow_0")), (0, 3))
        self.assertIn("tests (sample): 5 passed, 0 failed, 0 skipped", lines)

    def test_no_test_at_all_rejects(self):
        status, lines = self.run_tests(["-R", "none"], slow_a=PASSES)
        self.assertEqual((status, lines[-1]), (1, "tests (sample): 0 passed, 0 failed, 0 skipped"))

    def test_the_list_has_no_test_that_judges_answers(self):
        rows = run_tests.count_tests.read_rows((ROOT / "tests/timed.txt").read_text(encoding="utf-8"), 2)
        self.assertGreater(len(rows), 3)
        self.assertTrue(any(re.fullmatch(timed, "release/native.stop") for timed, _ in rows))
        for test in ("release/contract.native", "wasi/edge.contract.portail-wasmtime", "edge/edge.contract.portail-wasmtime", "wasm/" + "wasm.contract.java",
                     "release/unit.api.A.b", "release/native.unit.A.b", "release/vectors.A.b", "release/attacks.A.b", "release/native.golden",
                     "release/simulation.A.b", "release/description.schemathesis", "release/tools.layers", "asan/contract.native"):
            self.assertEqual([timed for timed, _ in rows if re.fullmatch(timed, test)], [], test)

    def test_the_command_names_one_test(self):
        self.assertEqual(run_tests.command_for("release", "stores.A/B.c"), r"tools/dev test release -R '^stores\.A/B\.c$'")
        self.assertTrue(re.fullmatch(shlex.split(run_tests.command_for("release", "a-b.c"))[-1], "a-b.c"))


if __name__ == "__main__":
    unittest.main()
