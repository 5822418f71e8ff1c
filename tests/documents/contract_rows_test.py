#!/usr/bin/env python3
"""docs/reference/contract.md and the rows of the contract suite are the same, in the same order. Standard library only."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows_of_page(text):
    """Every line of the tables that begin with "row", as "Heading: row"."""
    rows, heading, in_table = [], None, False
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if not line.startswith("|"):
            in_table = False
        elif line.startswith("| row |"):
            in_table = True
        elif in_table and not line.startswith("|---"):
            rows.append(f"{heading}: {line.split('|')[1].strip()}")
    return rows


def rows_of_suite(text):
    return re.findall(r'^    "([^"]+)",$', text, re.MULTILINE)


class ContractRowsTest(unittest.TestCase):
    def test_the_page_and_the_suite_have_the_same_rows(self):
        page = rows_of_page((ROOT / "docs/reference/contract.md").read_text(encoding="utf-8"))
        suite = rows_of_suite((ROOT / "tests/contract/support/rows.hpp").read_text(encoding="utf-8"))
        self.assertGreater(len(suite), 100)
        self.assertEqual(sorted(set(page) - set(suite)), [], "on the page, and not in the suite")
        self.assertEqual(sorted(set(suite) - set(page)), [], "in the suite, and not on the page")
        self.assertEqual(page, suite)

    def test_rows_are_read_as_they_stand(self):
        page = ("## Tokens\n\n| row | answer | from |\n|---|---|---|\n| claims, iss | equal | |\n\n"
                "| detail | answer | from |\n|---|---|---|\n| an audience | once | |\n")
        self.assertEqual(rows_of_page(page), ["Tokens: claims, iss"])
        self.assertEqual(rows_of_suite('rows[] = {\n    "Tokens: claims, iss",\n    "Tokens: where",\n};'),
                         ["Tokens: claims, iss", "Tokens: where"])


if __name__ == "__main__":
    sys.exit(unittest.main())
