#!/usr/bin/env python3
"""The routes of the management interface, its OpenAPI document and docs/reference/management.md have the same calls. Standard library
only."""

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

    def test_references_lead_to_the_components(self):
        text = (ROOT / "core/management/open_api.json").read_text(encoding="utf-8")
        components = json.loads(text)["components"]
        held = {f"{kind}/{name}" for kind, all_of_kind in components.items() if kind != "securitySchemes" for name in all_of_kind}
        self.assertEqual(set(re.findall(r'"#/components/([^"]+)"', text)), held)


if __name__ == "__main__":
    sys.exit(unittest.main())
