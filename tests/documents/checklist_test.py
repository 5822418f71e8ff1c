#!/usr/bin/env python3
"""SECURITY.md points at tests; each of them must exist. Standard library only.

A pointer is `tests/path:Suite.Name` for a gtest case, `tests/path:test_name` for one of Python, or the name of a function
that makes a table of cases.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "SECURITY.md"
POINTER = re.compile(r"`(tests/[^`:]+):([^`]+)`")


def defines(text, name):
    """Returns whether the text of a test file defines the case or the table of that name."""
    if "." in name:
        suite, case = name.split(".", 1)
        return re.search(rf"^TEST(_F|_P)?\({re.escape(suite)},\s*{re.escape(case)}\)", text, re.MULTILINE) is not None
    return re.search(rf"^(std::vector<\w+> |\s+def ){re.escape(name)}\(", text, re.MULTILINE) is not None


class ChecklistTest(unittest.TestCase):
    def test_every_pointer_leads_to_a_test(self):
        pointers = POINTER.findall(DOCUMENT.read_text(encoding="utf-8"))
        self.assertGreater(len(pointers), 60)
        for path, name in pointers:
            with self.subTest(path=path, name=name):
                self.assertTrue((ROOT / path).is_file(), "no such file")
                self.assertTrue(defines((ROOT / path).read_text(encoding="utf-8"), name), "no such test")

    def test_every_line_of_a_checklist_has_a_test_or_a_reason(self):
        lines = DOCUMENT.read_text(encoding="utf-8").split("## Checklist", 1)[1].splitlines()
        rows = [line for line in lines if re.match(r"\| (\d|API|V)", line)]
        self.assertEqual(len([row for row in rows if row.startswith("| 3.")]), 12)
        self.assertEqual(len([row for row in rows if row.startswith("| API")]), 10)
        for row in rows:
            with self.subTest(row=row):
                self.assertTrue(POINTER.search(row) or re.search(r"\| (none|not )", row), "neither a test nor a reason")

    def test_every_promise_has_a_test(self):
        promised = DOCUMENT.read_text(encoding="utf-8").split("## What is promised", 1)[1].split("\n## ", 1)[0]
        promises = re.findall(r"^- \*\*.*?(?=^- |^$)", promised, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(promises), 9)
        for promise in promises:
            with self.subTest(promise=promise):
                self.assertRegex(promise, POINTER)

    def test_missing_tests_are_detected(self):
        text = "TEST_F(Suite, Name) {\nstd::vector<Attack> table() {\n    def test_it(self):\n"
        for name in ("Suite.Name", "table", "test_it"):
            self.assertTrue(defines(text, name), name)
        for name in ("Suite.Nam", "Suite.Other", "tabl", "test_i", "Name"):
            self.assertFalse(defines(text, name), name)


if __name__ == "__main__":
    sys.exit(unittest.main())
