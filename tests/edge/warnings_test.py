#!/usr/bin/env python3
"""warnings_test.py PORTAIL WASMTIME COMPONENT: a component's warnings at its start are not logged for each request if the host creates
an instance for each. Standard library only."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Wasmtime  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PORTAIL, WASMTIME, COMPONENT = sys.argv[1:]
# A key that verifies no token, as is usual in the key set of a provider; it causes a warning.
KEY = '{"kty":"oct","kid":"one","use":"enc","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}'
SETTINGS = {"PORTAIL_ISSUER": "https://issuer.test", "PORTAIL_AUDIENCE": "portail", "PORTAIL_TRANSPORT": "loopback",
            "PORTAIL_JWKS": f'{{"keys":[{KEY}]}}'}
LINKS = {"PORTAIL_PORT": "tcp://10.0.0.1:8443", "PORTAIL_SERVICE_HOST": "10.0.0.1"}
WARNINGS = ("transport loopback", "key refused", '"variables of an orchestrator are ignored","detail":"PORTAIL_PORT, PORTAIL_SERVICE_HOST"')


class WarningsTest(unittest.TestCase):
    def log_counts(self, requests_of_an_instance):
        """Returns the number of log lines of each warning after four requests."""
        with tempfile.TemporaryDirectory(prefix="portail-warnings-") as name:
            folder = pathlib.Path(name)
            Portal(PORTAIL, folder).run("import", "--store", f"dir:{folder}/data", CHECKOUT / "fixtures/portail.json")
            with Wasmtime(WASMTIME, COMPONENT, folder / "log", "--max-instance-reuse-count", str(requests_of_an_instance),
                          "--dir", f"{folder}/data::/data", settings=SETTINGS | LINKS) as server:
                for _ in range(4):
                    self.assertEqual(server.ask("/health/live")[0], 200)
            return [server.output().count(warning) for warning in WARNINGS]

    def test_a_reused_instance_logs_each_warning_once(self):
        self.assertEqual(self.log_counts(1000), [1, 1, 1])

    def test_an_instance_for_each_request_logs_no_warning(self):
        self.assertEqual(self.log_counts(1), [0, 0, 0])

    def test_an_unknown_variable_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="portail-warnings-") as name:
            with Wasmtime(WASMTIME, COMPONENT, pathlib.Path(name) / "log", settings=SETTINGS | {"PORTAIL_TENAT": "bank"}) as server:
                self.assertEqual(server.ask("/health/ready")[0], 503)
            self.assertIn('"event":"not serving","detail":"unknown setting PORTAIL_TENAT; did you mean PORTAIL_TENANT?"', server.output())


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
