#!/usr/bin/env python3
"""access_test.py PORTAIL WASMTIME COMPONENT: a component logs who accessed what, and why requests were refused. Standard library only."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import access_lines  # noqa: E402
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Wasmtime  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PORTAIL, WASMTIME, COMPONENT = sys.argv[1:]


class AccessTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-access-")))
        self.portal = Portal(PORTAIL, self.folder)
        self.portal.make_keys("--alg", "EdDSA", "--kid", "one")
        self.portal.run("import", "--store", f"dir:{self.folder}/data", CHECKOUT / "fixtures/portail.json")

    def serve(self, settings, requests_of_an_instance=1000):
        return Wasmtime(WASMTIME, COMPONENT, self.folder / "log", "--max-instance-reuse-count", str(requests_of_an_instance),
                        "--dir", f"{self.folder}/data::/data", settings=self.portal.settings | settings)

    def test_access_lines(self):
        with self.serve(access_lines.SETTINGS) as server:
            access_lines.check(self, server, self.portal)

    def test_an_instance_for_each_request_uses_the_same_pseudonyms(self):
        with self.serve(access_lines.SETTINGS, requests_of_an_instance=1) as server:
            access_lines.check(self, server, self.portal)

    def test_without_a_key_an_instance_uses_pseudonyms_of_its_own(self):
        with self.serve({}) as server:
            for _ in range(2):
                self.assertEqual(server.ask("/api/app/liasse/dashboard-list", self.portal.bearer("sub-client-1"))[0], 403)
        pseudonyms = {line["subject"] for line in access_lines.lines(server)}
        self.assertEqual(len(pseudonyms), 1)
        self.assertRegex(pseudonyms.pop(), "^[0-9a-f]{32}$")

    def test_insecure_transport(self):
        for transport, reason in (("direct", "The request was not sent over HTTPS; the setting transport is direct"),
                                  ("forwarded", "No trusted proxy reported HTTPS; the setting transport is forwarded")):
            with self.subTest(transport), self.serve({"PORTAIL_TRANSPORT": transport}) as server:
                self.assertEqual(server.ask("/api/app/liasse", self.portal.bearer("sub-client-1"))[0], 403)
                self.assertEqual([(line["access"], line["reason"], line["subject"]) for line in access_lines.lines(server)],
                                 [("refused", reason, None)])

    def test_without_keys_requests_have_a_line(self):
        with self.serve({"PORTAIL_JWKS": '{"keys":[]}'}) as server:
            self.assertEqual(server.ask("/api/app/liasse", self.portal.bearer("sub-client-1"))[0], 503)
            self.assertEqual([(line["access"], line["status"], line["reason"]) for line in access_lines.lines(server)],
                             [("refused", 503, "No key set can be used")])


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
