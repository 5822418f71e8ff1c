#!/usr/bin/env python3
"""docs/reference/contract.md and the rows of the contract suite are the same, in the same order; and it has the rows that
`portail shadow` reports. Standard library only."""

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


def members_of_page(text):
    """The members of the tables of "Resources", as "Resources: member"."""
    resources = text.partition("\n### Resources\n")[2].partition("\n### ")[0]
    cells = [line.split("|")[1] for line in resources.splitlines() if line.startswith("| `")]
    return {f"Resources: {name}" for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


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

    def test_the_page_has_the_rows_of_comparisons(self):
        page = (ROOT / "docs/reference/contract.md").read_text(encoding="utf-8")
        order = [*sorted(members_of_page(page)), *rows_of_page(page)]
        compared = rows_of_suite((ROOT / "native/shadow/rows.hpp").read_text(encoding="utf-8"))
        self.assertGreater(len(compared), 40)
        self.assertEqual([row for row in compared if row not in order], [], "compared, and not on the page")
        self.assertEqual(len(compared), len(set(compared)))
        rows = [row for row in compared if not row.startswith("Resources: ")]
        self.assertEqual(rows, [row for row in rows_of_page(page) if row in rows], "in the order of the page")

    def test_rows_are_read_as_they_stand(self):
        page = ("## Tokens\n\n| row | answer | from |\n|---|---|---|\n| claims, iss | equal | |\n\n"
                "| detail | answer | from |\n|---|---|---|\n| an audience | once | |\n")
        self.assertEqual(rows_of_page(page), ["Tokens: claims, iss"])
        self.assertEqual(members_of_page("\n### Resources\n\n| bundle | type |\n|---|---|\n| `id` | `x` |\n| `a`, `b` | y |\n\n### Next\n| `c` | |\n"),
                         {"Resources: id", "Resources: a", "Resources: b"})
        self.assertEqual(rows_of_suite('rows[] = {\n    "Tokens: claims, iss",\n    "Tokens: where",\n};'),
                         ["Tokens: claims, iss", "Tokens: where"])


if __name__ == "__main__":
    sys.exit(unittest.main())
