#!/usr/bin/env python3
"""keys_test.py PORTAIL HOST TARBALL [CASE...], or keys_test.py PORTAIL MADE COMMAND...: an example fetches its key set by URL. HOST is an example of
the package; COMMAND is started with `--store` and `--listen`, and needs the file MADE. Python's standard library only.
"""

import os
import pathlib
import sys
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "support"), str(pathlib.Path(__file__).resolve().parent / "hosts")]
import example  # noqa: E402
from key_provider import KeyFetching  # noqa: E402
from needed import missing  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402

PORTAIL, HOST, *COMMAND = sys.argv[1:]
IS_EXAMPLE = HOST in example.COMMANDS


class KeysTest(KeyFetching, unittest.TestCase):
    program = PORTAIL

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if IS_EXAMPLE:
            cls.installed = example.install(HOST, os.path.abspath(COMMAND[0]), cls.folder)

    def serve(self, settings):
        store = str(self.new_store())
        if IS_EXAMPLE:
            return example.Server("server", HOST, self.installed, settings, store, self.folder)
        return Serving([*COMMAND, "--store", store, "--listen", "127.0.0.1:0"], self.folder / "log", clean_environment() | settings, self.folder)


if __name__ == "__main__":
    needed = [example.COMMANDS[HOST][0], COMMAND[0]] if IS_EXAMPLE else [HOST]
    if missing(*needed, PORTAIL, made_by="wasm"):
        sys.exit(1)
    cases = [f"KeysTest.{name}" for name in COMMAND[1:]] if IS_EXAMPLE else []
    unittest.main(argv=[sys.argv[0], *cases], verbosity=2)
