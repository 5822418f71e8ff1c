#!/usr/bin/env python3
"""The bill of materials is CycloneDX, and lists the content of the packages. Argument: the folder of the packages.

The rules are those of the schema of CycloneDX 1.6, as far as our document uses it; other members are rejected.
Standard library only."""

import hashlib
import json
import pathlib
import re
import sys
import tarfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1])
KINDS = {"application", "framework", "library", "container", "platform", "operating-system", "device", "device-driver", "firmware", "file",
         "machine-learning-model", "data", "cryptographic-asset"}
# Of each object the members that it may have, and of these the ones that it must have.
TOP = {"bomFormat", "specVersion", "serialNumber", "version", "metadata", "components", "dependencies"}
COMPONENT = ({"type", "bom-ref", "name", "version", "purl", "licenses", "hashes"}, {"type", "name", "bom-ref"})
PURL = r"pkg:(?:deb/debian|generic|npm|pypi)/[a-z0-9.+_%A-Z@/-]+@[\w.%~+-]+(?:\?[a-z_]+=[\w.:%+-]+(?:&[a-z_]+=[\w.:%+-]+)*)?"


class SbomTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        [path] = FOLDER.glob("*.cdx.json")
        cls.bill = json.loads(path.read_text())
        cls.components = {component["bom-ref"]: component for component in cls.bill["components"]}
        cls.parts = {entry["ref"]: entry["dependsOn"] for entry in cls.bill["dependencies"]}

    def names_in(self, artefact):
        return {self.components[part]["name"] for part in self.parts[artefact]}

    def test_the_document(self):
        self.assertEqual(set(self.bill), TOP)
        self.assertEqual((self.bill["bomFormat"], self.bill["specVersion"], self.bill["version"]), ("CycloneDX", "1.6", 1))
        self.assertRegex(self.bill["serialNumber"], r"^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
        self.assertRegex(self.bill["metadata"]["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(set(self.bill["metadata"]), {"timestamp", "component"})

    def test_each_component(self):
        may, must = COMPONENT
        for component in [self.bill["metadata"]["component"], *self.bill["components"]]:
            with self.subTest(component["name"]):
                self.assertLessEqual(set(component), may)
                self.assertLessEqual(must, set(component))
                self.assertIn(component["type"], KINDS)
                self.assertTrue(component["name"])
                if component["type"] == "library":
                    self.assertTrue(component["version"])
                    self.assertRegex(component["purl"], f"^{PURL}$")
                for entry in component.get("licenses", []):
                    self.assertEqual(set(entry), {"license"})
                    self.assertIn(set(entry["license"]), ({"id"}, {"name"}))
                for entry in component.get("hashes", []):
                    self.assertEqual(set(entry), {"alg", "content"})
                    self.assertEqual(entry["alg"], "SHA-256")
                    self.assertRegex(entry["content"], "^[0-9a-f]{64}$")

    def test_references_lead_somewhere(self):
        known = [self.bill["metadata"]["component"]["bom-ref"], *(component["bom-ref"] for component in self.bill["components"])]
        self.assertEqual(len(known), len(set(known)))
        self.assertEqual(len(self.parts), len(self.bill["dependencies"]))
        for reference, parts in self.parts.items():
            self.assertIn(reference, known)
            self.assertLessEqual(set(parts), set(known))
            self.assertEqual(len(parts), len(set(parts)))
        used = {part for parts in self.parts.values() for part in parts}
        self.assertEqual(set(self.components) - used, set())

    def test_it_is_about_these_packages(self):
        artefacts = {path.name for path in FOLDER.iterdir()} - {"SHA256SUMS"} - {path.name for path in FOLDER.glob("*.cdx.json")}
        self.assertEqual(set(self.parts["portail"]), artefacts)
        for name in artefacts:
            [entry] = self.components[name]["hashes"]
            self.assertEqual(entry["content"], hashlib.sha256((FOLDER / name).read_bytes()).hexdigest())

    def test_the_libraries_of_the_program(self):
        [tarball] = FOLDER.glob("portail-*-linux-*.tar.gz")
        [package] = FOLDER.glob("portail_*.deb")
        with tarfile.open(tarball) as archive:
            terms = {member.name.rpartition("/")[2] for member in archive if "/licences/" in member.name}
        for artefact in (tarball.name, package.name):
            names = self.names_in(artefact)
            self.assertLessEqual(terms, names)
            # The first is nothing but headers.
            self.assertLessEqual({"libcli11-dev", "libssl3t64", "libcurl4t64", "libstdc++6", "preact"}, names)
            self.assertEqual([name for name in names if "gtest" in name or "gmock" in name or name == "esbuild" or "opentelemetry" in name], [])

    def test_the_libraries_of_the_module_that_sends_spans(self):
        [package] = FOLDER.glob("portail-otlp_*.deb")
        names = self.names_in(package.name)
        # Abseil: its libraries instead of its headers.
        self.assertLessEqual({"opentelemetry-cpp", "libabsl20240722", "libprotobuf32t64", "libcurl4t64", "libstdc++6"}, names)
        self.assertEqual([name for name in names if name in ("liblmdb0", "preact")], [])

    def test_the_headers_in_the_library(self):
        [package] = FOLDER.glob("libportail-dev_*.deb")
        names = self.names_in(package.name)
        self.assertLessEqual({"libsodium-dev", "libbearssl-dev", "libsimdjson-dev", "liblmdb-dev"}, names)
        self.assertEqual([name for name in names if name in ("preact", "libcli11-dev", "libtomlplusplus-dev", "prometheus-cpp-dev")], [])

    def test_the_libraries_of_guests(self):
        for pattern, compiler in (("portail-components-*", "wasi-libc"), ("portail-*.tgz", "emscripten"), ("portail-*.whl", "emscripten"), ("portail-module-*", "emscripten"), ("portail-go-*", "emscripten"), ("portail-*.jar", "emscripten")):
            [artefact] = FOLDER.glob(pattern)
            names = self.names_in(artefact.name)
            self.assertLessEqual({"libsodium", "bearssl", "zlib", compiler}, names)
            self.assertEqual([name for name in names if name.startswith(("google", "libgtest", "libssl"))], [])

    def test_the_theme_of_the_documentation_site(self):
        [archive] = FOLDER.glob("portail-docs-*.tar.gz")
        self.assertEqual(self.names_in(archive.name), {"mkdocs", "mkdocs-material"})

    def test_the_sums(self):
        lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
        sums = dict(reversed(re.fullmatch(r"([0-9a-f]{64})  (\S+)", line).groups()) for line in lines)
        self.assertEqual(set(sums), {path.name for path in FOLDER.iterdir()} - {"SHA256SUMS"})
        for name, expected in sums.items():
            self.assertEqual(hashlib.sha256((FOLDER / name).read_bytes()).hexdigest(), expected)


if __name__ == "__main__":
    if missing(FOLDER / "SHA256SUMS", made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
