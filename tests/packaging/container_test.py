#!/usr/bin/env python3
"""Runs the steps of the Containerfile in a clean Debian 13, without a container engine, and sends requests to the server. Arguments: the
package, and the program that makes keys. Standard library only."""

import json
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "contract")]
from clean_root import BASE, NOWHERE, CleanRoot, can_create  # noqa: E402
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Serving  # noqa: E402
from suite import make_certificate  # noqa: E402

PACKAGE, PROGRAM = map(pathlib.Path, sys.argv[1:3])
CONTAINERFILE = HERE.parents[1] / "native" / "packaging" / "Containerfile"


@unittest.skipUnless(can_create(), "only root can create a clean root")
class ContainerTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-container-")))
        self.root = self.enterContext(CleanRoot())
        # What is installed is in apt's cache; its lists are those that the root has.
        self.root.path("/etc/apt/apt.conf.d/nowhere").write_text(f'Acquire::http::Proxy "{NOWHERE}";\nAcquire::https::Proxy "{NOWHERE}";\n')
        lines = [line for line in CONTAINERFILE.read_text().splitlines() if line and not line.startswith("#")]
        self.steps = [line.split(" ", 1) for line in lines]
        self.environment = dict(value.split("=", 1) for name, value in self.steps if name == "ENV")

    def of(self, name):
        [value] = [value for step, value in self.steps if step == name]
        return value

    def build(self):
        self.assertRegex(self.of("FROM"), "^debian:13")
        known = {"FROM", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "ENTRYPOINT", "CMD"}
        self.assertLessEqual({name for name, _ in self.steps}, known)
        pattern, into = self.of("COPY").split()
        self.assertTrue(PACKAGE.match(pattern))
        shutil.copy(PACKAGE, self.root.path(into))
        self.root.run("sh", "-c", self.of("RUN"), environment={"DEBIAN_FRONTEND": "noninteractive"})

    def test_it_is_built_and_serves(self):
        self.build()
        self.assertEqual(list(self.root.path("/tmp").iterdir()), [])
        self.assertFalse(self.root.path("/usr/lib/systemd/systemd").exists())
        user = self.root.ids_of(self.of("USER"))
        self.assertEqual(self.root.run("stat", "-c", "%U %a", self.of("VOLUME")), "portail 700\n")
        make_certificate(self.folder)
        Portal(PROGRAM, self.folder).make_keys()
        for name in ("tls.crt", "tls.key", "public.json"):
            shutil.copy(self.folder / name, self.root.path(f"/etc/portail/{name}"))
            shutil.chown(self.root.path(f"/etc/portail/{name}"), *user)
        environment = self.environment | {
            "PORTAIL_ISSUER": "https://issuer.example", "PORTAIL_AUDIENCE": "portail", "PORTAIL_JWKS": "/etc/portail/public.json",
            "PORTAIL_TLS_CERT": "/etc/portail/tls.crt", "PORTAIL_TLS_KEY": "/etc/portail/tls.key"}
        self.assertEqual(environment["PORTAIL_LISTEN"].rpartition(":")[2], self.of("EXPOSE"))
        environment["PORTAIL_LISTEN"] = "127.0.0.1:0"  # whatever else listens on this machine
        start = json.loads(self.of("ENTRYPOINT")) + json.loads(self.of("CMD"))
        # A new volume is empty: it takes a document first.
        examples = "/usr/share/doc/portail/examples"
        self.root.run("portail", "import", f"{examples}/portail.json", user=user, environment=environment)
        with Serving(self.root.command(*start, user=user, environment=environment), self.folder / "log") as server:
            self.assertEqual(server.scheme, "https")
            self.assertEqual(server.ask("/health/ready")[0], 200)
            server.stop(signal.SIGTERM)
            self.assertEqual(server.process.returncode, 0)


if __name__ == "__main__":
    if missing(PACKAGE, PROGRAM, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
