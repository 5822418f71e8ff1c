#!/usr/bin/env python3
"""The routes of the management interface, its OpenAPI document and docs/reference/management.md have the same calls, and each row of the
page's contract has a test. Standard library only."""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/management.md"


def described():
    """Returns the calls of the OpenAPI document: "GET /manage/status"."""
    document = json.loads((ROOT / "core/management/open_api.json").read_text(encoding="utf-8"))
    return {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item if method != "parameters"}


def tests_of(*files):
    """Returns the names of the tests that the files define."""
    return {name for file in files for name in re.findall(r"^    def (test_\w+)\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)}


def rows_of(page):
    """Returns the tests of each row of the contract, as pairs of the test and its host, which is empty for every host."""
    cells = re.findall(r"^\|[^|]+\|[^|]+\| (`test_[^|]+) \|$", page.split("\n## Contract\n", 1)[1], re.MULTILINE)
    return [re.findall(r"`(test_\w+)`(?: \((\w+)\))?", cell) for cell in cells]


class ManagementTest(unittest.TestCase):
    def test_every_route_is_described(self):
        source = (ROOT / "core/management/management.cpp").read_text(encoding="utf-8")
        routes = re.findall(r'RoutePattern\("(/manage/[^"]+)"\)', source)
        self.assertEqual(len(routes), 8)
        self.assertEqual({call.split()[1] for call in described()}, set(routes))  # the methods are compared over HTTP

    def test_the_page_has_the_calls_of_the_description(self):
        calls = set(re.findall(r"^\| `([A-Z]+ /manage/[^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(len(calls), 9)
        self.assertEqual(calls, described())

    def test_every_row_of_the_contract_has_a_test(self):
        page = PAGE.read_text(encoding="utf-8")
        rows = rows_of(page)
        self.assertEqual(len(rows), page.split("\n## Contract\n", 1)[1].count("\n| ") - 1)  # without the head
        native, components = tests_of("tests/native/management/management_test.py"), tests_of("tests/edge/management_test.py", "tests/support/guest_management.py")
        everywhere = tests_of("tests/support/management.py", "tests/support/hostile_documents.py") | native & components
        for host, tests in (("", everywhere), ("native", native - everywhere), ("components", components - everywhere)):
            named = [test for row in rows for test, each in row if each == host]
            self.assertEqual(len(named), len(set(named)), "a test is named twice")
            self.assertLessEqual(set(named), tests)
            self.assertLessEqual(tests - set(named), {"test_wrong_client_authorities"}, "a test without a row")  # of the command line

    def test_rows_are_read_as_they_stand(self):
        page = "# Page\n\n## Contract\n\n| row | answer | test |\n|---|---|---|\n| a, b | 200 | `test_a` |\n| c | 404 | `test_b` (native), `test_c` |\n"
        self.assertEqual(rows_of(page), [[("test_a", "")], [("test_b", "native"), ("test_c", "")]])

    def test_references_lead_to_the_components(self):
        text = (ROOT / "core/management/open_api.json").read_text(encoding="utf-8")
        components = json.loads(text)["components"]
        held = {f"{kind}/{name}" for kind, all_of_kind in components.items() if kind != "securitySchemes" for name in all_of_kind}
        self.assertEqual(set(re.findall(r'"#/components/([^"]+)"', text)), held)


if __name__ == "__main__":
    sys.exit(unittest.main())
