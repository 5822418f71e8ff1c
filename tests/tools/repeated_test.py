#!/usr/bin/env python3
"""Checks that each filter of tests/repeated.txt names cases of the contract suite. Standard library only."""

import fnmatch
import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]


class RepeatedTest(unittest.TestCase):
    def test_each_part_of_a_filter_has_a_case(self):
        cases = {".".join(case) for file in TESTS.glob("contract/**/*_test.cpp")
                 for case in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", file.read_text(encoding="utf-8"), re.MULTILINE)}
        self.assertIn("Caching.Vary", cases)
        rows = [line.split(" | ") for line in (TESTS / "repeated.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
        filters = [remaining for _, remaining, _ in rows if remaining not in ("none", "once")]
        self.assertNotEqual(filters, [])
        self.assertEqual([part for remaining in filters for part in remaining.split(":") if not fnmatch.filter(cases, part)], [])


if __name__ == "__main__":
    sys.exit(unittest.main())
