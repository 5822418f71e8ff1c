#!/usr/bin/env python3
"""management_test.py PORTAIL WASMTIME MANAGEMENT PUBLIC: the management component and the public one over one folder. Standard library
only."""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from guest_management import GuestManagementTests  # noqa: E402
from hostile_documents import HostileDocumentTests  # noqa: E402
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402

PORTAIL, WASMTIME, MANAGEMENT, PUBLIC = sys.argv[1:]


class ManagementTest(GuestManagementTests, HostileDocumentTests, unittest.TestCase):
    program = PORTAIL
    malformed = (400, None)
    body_timeout = 30

    def serve(self, is_management, settings):
        return Wasmtime(WASMTIME, MANAGEMENT if is_management else PUBLIC, self.folder / f"log-{time.monotonic_ns()}",
                        "--max-instance-reuse-count", "1000", "--dir", f"{self.data}::/data", settings=self.portal.settings | settings)

    def test_a_wrong_setting_is_named(self):
        with self.serve(True, {"PORTAIL_MANAGE_MAX_DOCUMENT": "0"}) as server:
            self.assertEqual(server.ask("/manage/status")[0], 503)
        self.assertIn("PORTAIL_MANAGE_MAX_DOCUMENT must be 1 to 1000000 MiB", server.output())


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, MANAGEMENT, PUBLIC, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
