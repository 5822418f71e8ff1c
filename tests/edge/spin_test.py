#!/usr/bin/env python3
"""spin_test.py PORTAIL MANIFEST: an application on a real Spin, which TEST_SPIN names: it fetches its keys, logs who accessed what, and
answers without TLS to a loopback host only. Exit status 77 without TEST_SPIN. Standard library only."""

import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import access_lines  # noqa: E402
from key_provider import KeyFetching, KeyProvider  # noqa: E402
from needed import missing  # noqa: E402
from serving import Spin  # noqa: E402
from waiting import until  # noqa: E402

PORTAIL, MANIFEST = sys.argv[1:]
SPIN = os.environ.get("TEST_SPIN")
SKIPPED = 77


class SpinTest(KeyFetching, unittest.TestCase):
    program = PORTAIL

    def serve(self, settings, manifest=MANIFEST):
        values = self.folder / "values.db"
        for file in self.folder.glob("values.db*"):
            file.unlink()
        self.portal.run("migrate", f"dir:{self.folder / 'sample'}", f"spin-sqlite:{values}")
        return Spin(SPIN, manifest, self.folder / "log", values, settings)

    def test_access_lines(self):
        with self.serve(self.portal.settings | access_lines.SETTINGS) as server:
            access_lines.check(self, server, self.portal)

    def test_an_instance_ends_without_a_failure(self):
        """Spin ends an instance that was idle for a second, and reports a call of the host that outlives its task as a failure."""
        with self.serve(self.portal.settings) as server:
            self.assertEqual(self.status_for(server, self.portal), 200)
            time.sleep(3)
            self.assertEqual(self.status_for(server, self.portal), 200)
            self.assertNotIn("worker failed", server.output())

    def test_the_default_transport(self):
        settings = {name: value for name, value in self.portal.settings.items() if name != "PORTAIL_TRANSPORT"}
        with self.serve(settings) as server:
            bearer = self.portal.bearer("sub-client-1")
            # WASI 0.2 does not give a component the host that a request addresses.
            local = 403 if MANIFEST.endswith("p2.toml") else 200
            for headers, expected in (({}, local), ({"Host": "localhost"}, local), ({"Host": "portal.example"}, 403),
                                      ({"Host": "portal.example", "X-Forwarded-Proto": "https"}, 200),
                                      ({"Host": "portal.example", "X-Forwarded-Proto": "http"}, 403),
                                      ({"X-Forwarded-For": "192.0.2.1"}, 403)):
                with self.subTest(headers):
                    self.assertEqual(server.ask(self.target, bearer | headers)[0], expected, server.output())
            setting = "forwarded" if local == 403 else "forwarded-or-loopback"
            self.assertEqual({line["reason"].rpartition(" ")[2] for line in access_lines.lines(server)}, {setting})

    def test_the_management_interface(self):
        administrator = self.portal.bearer("sub-admin", "--permission", "PortailClients.Administration")
        with self.serve(self.portal.settings) as server:
            self.assertEqual(server.ask("/manage/status", administrator)[0], 404, server.output())
        with self.serve(self.portal.settings, pathlib.Path(MANIFEST).parent / pathlib.Path(MANIFEST).name.replace("spin", "manage")) as server:
            statuses = [server.ask("/manage/status", headers)[0] for headers in ({}, self.portal.bearer("sub-client-1"), administrator)]
            self.assertEqual(statuses, [401, 403, 200], server.output())
            status, _, document = server.ask("/manage/export", administrator)
            self.portal.run("export", "--store", f"dir:{self.folder / 'sample'}", "--output", self.folder / "export.json", "--overwrite")
            self.assertEqual((status, document), (200, (self.folder / "export.json").read_bytes()))
            headers = administrator | {"Content-Type": "application/json"}
            status, _, report = server.ask("/manage/import", headers, "POST", document)
            self.assertEqual((status, json.loads(report)["sections"]["liasses"]), (200, {"added": 0, "changed": 0, "unchanged": 1000, "removed": 0}))
            fewer = json.loads(document)["liasses"][:1]
            status, _, report = server.ask("/manage/import?prune=true", headers, "POST", json.dumps({"liasses": fewer}).encode())
            self.assertEqual((status, json.loads(report)["sections"]["liasses"]["removed"]), (200, 999))
            self.assertEqual(json.loads(server.ask("/manage/check", administrator)[2])["bundles"], 1)

    def test_a_provider_that_the_manifest_does_not_permit(self):
        with KeyProvider() as provider:
            provider.publish(self.portal)
            settings = self.settings_for(f"{provider.url}/keys", {"PORTAIL_IDENTITY_PROVIDER": "https://issuer.test"})
            with self.serve(settings) as server:
                self.assertEqual(self.status_for(server, self.portal), 503)
                until(lambda: "the host does not allow the request (in Spin: allowed_outbound_hosts)" in server.output(), "the reason")
            self.assertEqual(provider.requests, [])


if __name__ == "__main__":
    if not SPIN:
        print("skipped: TEST_SPIN names no Spin")
        sys.exit(SKIPPED)
    if missing(PORTAIL, SPIN, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
