#!/usr/bin/env python3
"""The examples of wasm/examples/routers: the portal within programs of Express, Fastify and Hono, and in one file that esbuild makes.

    routers_test.py PORTAIL INSTALLED FETCHED      INSTALLED has the package, FETCHED what package-lock.json of the examples pins

Python's standard library only.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from run_node_tests import make_sample  # noqa: E402
from serving import Serving  # noqa: E402

PORTAIL, INSTALLED, FETCHED = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
EXAMPLES = HERE.parents[1] / "wasm" / "examples" / "routers"


class RoutersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-routers-")))
        cls.sample = json.loads(make_sample(PORTAIL, cls.folder))
        cls.examples = cls.folder / "examples"
        shutil.copytree(EXAMPLES, cls.examples)
        modules = cls.examples / "node_modules"
        modules.mkdir()
        for package in FETCHED.glob("node_modules/*"):
            (modules / package.name).symlink_to(package)
        (modules / "portail").symlink_to(INSTALLED / "node_modules" / "portail")

    def serve(self, program):
        environment = {"PATH": os.environ["PATH"], "PORT": "0", "DATA": str(self.folder / "store"), "PORTAIL_TRANSPORT": "loopback"}
        return Serving(["node", program], self.folder / f"{program.name}.log", environment | self.sample["settings"])

    def as_persona(self, name):
        return {"Authorization": f"Bearer {self.sample['tokens'][name]}"}

    def tried(self, host):
        administrator = self.as_persona("administrator")
        status, headers, body = host.ask("/portail/api/app/objet-courrier", administrator)
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json; charset=utf-8"))
        links = [each["lienFichier"] for each in json.loads(body)["items"] if each["lienFichier"]]
        self.assertGreater(len(links), 0)
        for link in links:
            self.assertRegex(link, r"^/portail/api/app/objet-courrier/\d+/fichier-modele$")
        status, headers, file = host.ask(links[0], administrator)
        self.assertEqual((status, headers["Content-Type"], file[:5]), (200, "application/pdf", b"%PDF-"))
        # A body that other code has read would be empty.
        change = json.dumps({"utilisablePourLiasse": True, "typeAffectation": "Optionnel"})
        status, _, body = host.ask("/portail/api/app/objet-courrier/1", administrator | {"Content-Type": "application/json"}, "PUT", change)
        self.assertEqual((status, json.loads(body)["typeAffectation"]), (200, "Optionnel"))
        # A long list, which is written piece by piece.
        status, _, body = host.ask("/portail/api/app/liasse/dashboard-list", self.as_persona("manager"))
        self.assertEqual((status, len(json.loads(body)) >= 300, b'"lienFichier":"/api' in body), (200, True, False))
        self.assertEqual(host.ask("/portail/health/live")[0], 200)

    def test_each_program(self):
        for name in ("express", "fastify", "hono"):
            with self.subTest(name), self.serve(self.examples / f"{name}.js") as host:
                self.tried(host)
                status, _, body = host.ask("/")
                self.assertEqual((status, body), (200, b"the rest of the site\n"))
                status, headers, _ = host.ask("/portail")
                self.assertEqual((status, headers.get("Location")), (302, "/portail/"))
                status, headers, page = host.ask("/portail/")
                self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
                name = re.search(r'src="(page/main-\w+\.js)"', page.decode())[1]
                self.assertEqual(host.ask(f"/portail/{name}")[0], 200)
                self.assertEqual(host.ask("/portail/page/settings.json")[0], 200)
                self.assertEqual(host.ask("/api/app/objet-courrier", self.as_persona("administrator"))[0], 404)

    def test_one_file_of_a_bundler(self):
        alone = self.folder / "alone"
        alone.mkdir()
        subprocess.run(["node", "node_modules/esbuild/bin/esbuild", "bundled.js", "--bundle", "--platform=node", "--format=esm",
                        "--loader:.wasm=binary", f"--outfile={alone / 'bundle.mjs'}", "--log-level=warning"], cwd=self.examples, check=True)
        with self.serve(alone / "bundle.mjs") as host:
            self.tried(host)


if __name__ == "__main__":
    if missing(PORTAIL, INSTALLED / "node_modules/portail", FETCHED / "node_modules/express", made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
