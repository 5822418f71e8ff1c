#!/usr/bin/env python3
"""Checks tools/lib/count_tests.py with sample output of ctest, GoogleTest, unittest and node:test."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/lib"))
import count_tests  # noqa: E402

GOOGLETEST = """Running main() from gmock_main.cc
[==========] Running 4 tests from 1 test suite.
[ RUN      ] Store.Reads
[       OK ] Store.Reads (0 ms)
[ RUN      ] Store.Links
store_test.cpp:12: Skipped
root may write everywhere

[  SKIPPED ] Store.Links (0 ms)
[ RUN      ] Store.Traces
store_test.cpp:34: Skipped
strace is missing

[  SKIPPED ] Store.Traces (0 ms)
[ RUN      ] Store.Writes
store_test.cpp:56: Failure
[  FAILED  ] Store.Writes (1 ms)
[----------] 4 tests from Store (1 ms total)

[==========] 4 tests from 1 test suite ran. (1 ms total)
[  PASSED  ] 1 test.
[  SKIPPED ] 2 tests, listed below:
[  SKIPPED ] Store.Links
[  SKIPPED ] Store.Traces
[  FAILED  ] 1 test, listed below:
[  FAILED  ] Store.Writes

 1 FAILED TEST
"""
UNITTEST = """test_a (nginx_test.Nginx.test_a) ... skipped 'nginx is not installed'
test_b (nginx_test.Nginx.test_b) ... ok

----------------------------------------------------------------------
Ran 2 tests in 0.010s

OK (skipped=1)
"""
QUIET_UNITTEST = """s.
----------------------------------------------------------------------
Ran 2 tests in 0.010s

OK (skipped=1)
"""
BROKEN_UNITTEST = """FAIL: test_a (http_test.Http.test_a) (part=1)
FAIL: test_a (http_test.Http.test_a) (part=2)
ERROR: test_b (http_test.Http.test_b)
----------------------------------------------------------------------
Ran 3 tests in 0.010s

FAILED (failures=2, errors=1)
"""
NODE = """ok 1 - answers
ok 2 - waits # SKIP no clock here
# tests 3
# pass 1
# fail 1
# cancelled 0
# skipped 1
# todo 0
"""
SKIPS = "# comment\nstores.* | root may write | by others\nstores.* | strace | by others\nnative.nginx | nginx | by others\n"


def entry(name, output, status="run", skipped=""):
    output = output.replace("&", "&amp;").replace("<", "&lt;")
    mark = f'<skipped message="{skipped}"/>' if skipped else ""
    return f'<testcase name="{name}" status="{status}">{mark}<system-out>{output}</system-out></testcase>'


class CountTestsTest(unittest.TestCase):
    def read(self, *entries):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "results.xml")
            results.write_text(f"<testsuite>{''.join(entries)}</testsuite>", encoding="utf-8")
            return list(count_tests.read_results(results))

    def count(self, *entries, skips=SKIPS):
        """(exit status, lines)"""
        lines, is_successful = count_tests.report("sample", self.read(*entries), count_tests.read_rows(skips, 3))
        return int(not is_successful), lines

    def test_a_program_counts_as_its_cases(self):
        self.assertEqual(self.count(entry("stores.all", GOOGLETEST, "fail")), (1, [
            *(f"failed (sample): stores.all: {line}" for line in GOOGLETEST[GOOGLETEST.index("store_test.cpp:56"):].rstrip().split("\n")),
            "skipped (sample): stores.all: root may write everywhere",
            "skipped (sample): stores.all: strace is missing",
            "tests (sample): 1 passed, 1 failed, 2 skipped"]))

    def test_a_program_that_skips_everything_did_not_pass(self):
        output = ("[ RUN      ] Vectors.A\na.cpp:3: Skipped\nroot may write\n\n[  SKIPPED ] Vectors.A (0 ms)\n"
                  "[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n"
                  "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] Vectors.A\n")
        for entries in ([entry("stores.a", output)], [entry("stores.a", output, "notrun", "SKIP_REGULAR_EXPRESSION_MATCHED")]):
            self.assertEqual(self.count(*entries), (0, ["skipped (sample): stores.a: root may write",
                                                        "tests (sample): 0 passed, 0 failed, 1 skipped"]))

    def test_several_runs_of_one_program_add_up(self):
        status, lines = self.count(entry("stores.twice", GOOGLETEST + GOOGLETEST, "fail"))
        self.assertEqual(lines[-1], "tests (sample): 2 passed, 2 failed, 4 skipped")
        self.assertIn("skipped (sample): stores.twice (2): root may write everywhere", lines)
        self.assertEqual(status, 1)

    def test_python(self):
        self.assertEqual(self.count(entry("native.nginx", UNITTEST)), (
            0, ["skipped (sample): native.nginx: nginx is not installed", "tests (sample): 1 passed, 0 failed, 1 skipped"]))
        status, lines = self.count(entry("native.nginx", BROKEN_UNITTEST, "fail"))
        self.assertEqual((status, lines[-1]), (1, "tests (sample): 1 passed, 2 failed, 0 skipped"))
        self.assertEqual(lines[:2], ["failed (sample): native.nginx: FAIL: test_a (http_test.Http.test_a) (part=1)",
                                     "failed (sample): native.nginx: FAIL: test_a (http_test.Http.test_a) (part=2)"])

    def test_node(self):
        self.assertEqual(self.count(entry("wasm.abi", NODE, "fail"), skips="wasm.abi | no clock | none\n"),
                         (1, [*(f"failed (sample): wasm.abi: {line}" for line in NODE.rstrip().split("\n")),
                              "skipped (sample): wasm.abi: no clock here", "tests (sample): 1 passed, 1 failed, 1 skipped"]))

    def test_the_names_of_the_cases(self):
        entries = self.read(entry("contract.native", GOOGLETEST + GOOGLETEST, "fail"), entry("native.nginx", UNITTEST), entry("wasm.abi", NODE),
                            entry("edge.size", "fits\n"), entry("edge.reads", "ok 1 read\n"), entry("native.quiet", QUIET_UNITTEST))
        self.assertEqual([sorted(count_tests.names(each)) for each in entries], [
            ["Store.Links", "Store.Reads", "Store.Traces", "Store.Writes"], ["nginx_test.Nginx.test_a", "nginx_test.Nginx.test_b"],
            ["answers", "waits"], ["edge.size"], ["edge.reads"], ["native.quiet"]])

    def test_any_other_program_is_one_case(self):
        self.assertEqual(self.count(entry("edge.size", "fits\n")), (0, ["tests (sample): 1 passed, 0 failed, 0 skipped"]))
        self.assertEqual(self.count(entry("edge.size", "too large\n", "fail")),
                         (1, ["failed (sample): edge.size: too large", "tests (sample): 0 passed, 1 failed, 0 skipped"]))
        self.assertEqual(self.count(entry("native.nginx", "Looking\nno nginx\n", "notrun", "SKIP_RETURN_CODE=77")),
                         (0, ["skipped (sample): native.nginx: no nginx", "tests (sample): 0 passed, 0 failed, 1 skipped"]))

    def test_a_program_that_broke_off_failed(self):
        output = "[ RUN      ] Store.Reads\n[       OK ] Store.Reads (0 ms)\n[ RUN      ] Store.Writes\nSegmentation fault\n"
        status, lines = self.count(entry("stores.all", output, "fail"))
        self.assertEqual((status, lines[-2:]), (1, ["failed (sample): stores.all: Segmentation fault",
                                                    "tests (sample): 0 passed, 1 failed, 0 skipped"]))

    def test_the_first_failures_are_shown_from_their_start(self):
        cases = [f"[ RUN      ] Store.No{number}\nstore_test.cpp:{number}: Failure\n  Actual: {number}\n" + "more\n" * 40 for number in range(9)]
        lines = [line for line in self.count(entry("stores.all", "".join(cases), "fail"))[1] if line.startswith("failed")]
        self.assertEqual(len(lines), 96)
        self.assertEqual(lines[24:27], ["failed (sample): stores.all: store_test.cpp:1: Failure", "failed (sample): stores.all:   Actual: 1",
                                        "failed (sample): stores.all: more"])

    def test_a_failed_case_fails_with_any_exit_status(self):
        status, lines = self.count(entry("wasm.abi", NODE.replace("skipped 1", "skipped 0").replace(" # SKIP no clock here", "")))
        self.assertEqual((status, lines[-1]), (1, "tests (sample): 1 passed, 1 failed, 0 skipped"))

    def test_a_skip_that_is_not_on_the_list_fails(self):
        status, lines = self.count(entry("native.other", UNITTEST))
        self.assertEqual((status, lines[0]), (1, "skipped (sample), not on the list of tests/skips.txt: native.other: "
                                                 "nginx is not installed"))
        self.assertEqual(self.count(entry("native.nginx.more", UNITTEST))[0], 1, "of a whole name")

    def test_a_skip_that_shows_no_reason_fails(self):
        status, lines = self.count(entry("native.nginx", QUIET_UNITTEST))
        self.assertEqual((status, lines[-1]), (1, "tests (sample): 1 passed, 0 failed, 1 skipped"))
        self.assertIn("no reason is shown", lines[0])

    def test_no_test_at_all_fails(self):
        self.assertEqual(self.count(), (1, ["no test was run", "tests (sample): 0 passed, 0 failed, 0 skipped"]))

    def test_each_skip_of_the_list_has_a_reason(self):
        for row in ("stores.* | strace", "stores.* | strace | ", "stores.* | strace | by others | more"):
            with self.assertRaisesRegex(ValueError, r"not 3 fields: stores"):
                count_tests.read_rows(f"# comment\n\n{row}\n", 3)
        rows = count_tests.read_rows((ROOT / "tests/skips.txt").read_text(encoding="utf-8"), 3)
        self.assertGreater(len([re.compile(field) for entry, said, _ in rows for field in (entry, said)]), 10)


if __name__ == "__main__":
    sys.exit(unittest.main())
