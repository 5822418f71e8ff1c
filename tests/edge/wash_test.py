#!/usr/bin/env python3
"""wash_test.py PORTAIL COMPONENT: a component on a real wasmCloud, whose program `wash` TEST_WASH names: it fetches its keys, and logs
who accessed what. Exit status 77 without TEST_WASH. Standard library only."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import access_lines  # noqa: E402
from key_provider import KeyFetching  # noqa: E402
from needed import missing  # noqa: E402
from serving import Wash  # noqa: E402

PORTAIL, COMPONENT = sys.argv[1:]
WASH = os.environ.get("TEST_WASH")
SKIPPED = 77


class WashTest(KeyFetching, unittest.TestCase):
    program = PORTAIL

    def serve(self, settings):
        values = self.folder / "values"
        values.mkdir(exist_ok=True)
        self.new_store("values/portail")
        return Wash(WASH, COMPONENT, self.folder / "log", values, settings | {"PORTAIL_STORE": "bucket:portail"})

    def test_access_lines(self):
        with self.serve(self.portal.settings | access_lines.SETTINGS) as server:
            access_lines.check(self, server, self.portal)


if __name__ == "__main__":
    if not WASH:
        print("skipped: TEST_WASH names no wash")
        sys.exit(SKIPPED)
    if missing(PORTAIL, WASH, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
