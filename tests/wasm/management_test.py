#!/usr/bin/env python3
"""management_test.py PORTAIL HOST ARGUMENTS...: the management interface and the public one over one folder, in a JavaScript host of the
package (the argument is its tarball), or in a program that embeds the modules (HOST is `embedded`, the arguments are its command).
Standard library only."""

import os
import pathlib
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "hosts"), str(HERE.parent / "support")]
import example  # noqa: E402
from guest_management import GuestManagementTests  # noqa: E402
from hostile_documents import HostileDocumentTests  # noqa: E402
from needed import missing  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402
from waiting import PATIENCE  # noqa: E402

PORTAIL, HOST, *ARGUMENTS = sys.argv[1:]


class Embedded(Serving):
    """A program that is started as the examples are."""

    def __init__(self, is_management, settings, folder, log):
        super().__init__([*ARGUMENTS, *(["--manage"] if is_management else []), "--listen", "127.0.0.1:0", "--store", folder], log,
                         clean_environment() | settings)


class NodeTests(HostileDocumentTests):
    """Node answers malformed HTTP itself: 431 to large trailers, 400 to a Content-Length among them, and 400 as soon as it finds bytes
    after the body, which precedes the portal's answer. A request has five minutes (requestTimeout)."""

    malformed = (400, None)
    malformed_chunks = (400, 431)
    after_trailers = (400, None)
    after_the_body = (400, None)
    test_a_slow_body_is_cut_off = None


class WorkerdTests:
    """workerd writes the files itself, not through the writers' folder."""

    test_nothing_is_answered_without_a_record = None


OF_HOST = {"node": [NodeTests], "workerd": [WorkerdTests]}


class ManagementTest(*OF_HOST.get(HOST, []), GuestManagementTests, unittest.TestCase):
    program = PORTAIL

    @classmethod
    def setUpClass(cls):
        if HOST != "embedded":
            folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-management-")))
            cls.installed = example.install("workerd" if HOST == "workerd" else "node", os.path.abspath(ARGUMENTS[0]), folder)

    def serve(self, is_management, settings):
        settings = self.portal.settings | settings
        name = f"server-{time.monotonic_ns()}"
        if HOST == "embedded":
            return Embedded(is_management, settings, self.data, self.folder / name)
        return example.Server(name, HOST, self.installed, settings, str(self.data), self.folder, is_management)

    def test_a_wrong_setting_is_named(self):
        server = self.serve(True, {"PORTAIL_MANAGE_MAX_DOCUMENT": "0"})
        self.addCleanup(server.stop)
        if HOST == "workerd":  # which has settings at its first request
            server.wait_for_address()
            self.assertEqual(server.ask("/manage/status")[0], 500)
        else:
            self.assertEqual(server.process.wait(PATIENCE), 1)
        self.assertIn("PORTAIL_MANAGE_MAX_DOCUMENT must be 1 to 1000000 MiB, not 0", server.output())


if __name__ == "__main__":
    needed = ARGUMENTS if HOST == "embedded" else [example.COMMANDS[HOST][0], ARGUMENTS[0]]
    if missing(PORTAIL, *needed[:3], made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
