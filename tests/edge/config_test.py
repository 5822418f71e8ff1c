#!/usr/bin/env python3
"""Components read their settings from wasi:config before the environment: in wasmtime's version (0.2.0-rc.1), and in Spin's version
(0.2.0-draft-2024-09-27), which tests/edge/hosts/config_draft_host.cpp implements.

Arguments: the native program, wasmtime, the composed component, and the version: rc or draft. Python's standard library only.
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Wasmtime, variables  # noqa: E402

PORTAIL, WASMTIME, COMPONENT, VERSION = sys.argv[1:5]
GOOD = {"portail_issuer": "https://issuer.example", "portail_audience": "portail", "portail_transport": "loopback"}


class ConfigTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-config-")))
        (folder / "empty.json").write_text("{}")
        (folder / "buckets").mkdir()
        portal = Portal(PORTAIL, folder)
        for bucket in ("default", "other"):
            portal.run("import", "--store", f"dir:{folder / 'buckets' / bucket}", folder / "empty.json")
        portal.make_keys("--alg", "EdDSA", "--kid", "one")
        # Only the bucket "other" has keys: a ready component reads it.
        portal.public.rename(folder / "buckets" / "other" / "config.jwks")

    def serve(self, configuration, environment=None):
        """Returns the status of /health/ready, and the log."""
        if VERSION == "rc":
            flags = [part for name, value in configuration.items() for part in ("-S", f"config-var={name}={value}")]
        else:
            flags = variables({f"CONFIG_{name}": value for name, value in configuration.items()})
        with Wasmtime(WASMTIME, COMPONENT, self.folder / "log", "-S", "config", "--dir", f"{self.folder / 'buckets'}::/buckets", *flags,
                      settings=environment) as server:
            status, _, _ = server.ask("/health/ready")
        return status, server.output()

    def test_all_settings_come_from_config(self):
        status, log = self.serve(GOOD | {"portail_store": "bucket:other"})
        self.assertEqual(status, 200, log)

    def test_config_overrides_the_environment(self):
        status, log = self.serve(GOOD | {"portail_store": "bucket:other"}, {"PORTAIL_STORE": "bucket:default"})
        self.assertEqual(status, 200, log)

    def test_unset_values_come_from_the_environment(self):
        status, log = self.serve(GOOD, {"PORTAIL_STORE": "bucket:other"})
        self.assertEqual(status, 200, log)

    def test_an_empty_value_counts_as_unset(self):
        status, log = self.serve(GOOD | {"portail_store": "", "portail_jwks": "", "portail_leeway": ""},
                                 {"PORTAIL_STORE": "bucket:other"})
        self.assertEqual(status, 200, log)

    def test_without_an_issuer_requests_are_refused(self):
        status, log = self.serve({"portail_audience": "portail"})
        self.assertEqual(status, 503)
        name = "PORTAIL_ISSUER" if VERSION == "rc" else "the variable issuer"  # as the manifests of Spin name it
        self.assertIn(f"no issuer: set {name} to the iss of the tokens", log)

    @unittest.skipIf(VERSION == "rc", "wasmtime's configuration never fails")
    def test_an_unavailable_value_is_not_an_absent_one(self):
        status, log = self.serve(GOOD | {"portail_store": "bucket:other", "portail_tenant": "refused"})
        self.assertEqual(status, 503)
        self.assertIn("portail_tenant cannot be read from the host's configuration: out of reach", log)


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
