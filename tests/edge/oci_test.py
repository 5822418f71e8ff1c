#!/usr/bin/env python3
"""Tests the OCI layout of components (edge/package/oci_layout.py): digests, sizes, and that each component is a Wasm OCI Artifact.

Arguments: wasm-tools and the components. Python's standard library only.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402

WASM_TOOLS, *COMPONENTS = map(pathlib.Path, sys.argv[1:])
MAKE = HERE.parents[1] / "edge" / "package" / "oci_layout.py"


class OciTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-oci-")))
        cls.make(cls.folder / "layout", COMPONENTS)

    @staticmethod
    def make(folder, components):
        subprocess.run([sys.executable, "-B", MAKE, folder, WASM_TOOLS, *components], check=True,
                       env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"})

    def blob(self, descriptor, media_type):
        """Returns the blob of the descriptor, after checking its digest and size."""
        self.assertEqual(descriptor["mediaType"], media_type)
        algorithm, _, digest = descriptor["digest"].partition(":")
        content = (self.folder / "layout" / "blobs" / algorithm / digest).read_bytes()
        self.assertEqual((algorithm, hashlib.sha256(content).hexdigest(), len(content)), ("sha256", digest, descriptor["size"]))
        self.named.add(digest)
        return content

    def test_each_component_is_complete(self):
        layout = self.folder / "layout"
        self.assertEqual(json.loads((layout / "oci-layout").read_text()), {"imageLayoutVersion": "1.0.0"})
        index = json.loads((layout / "index.json").read_text())
        self.assertEqual((index["schemaVersion"], index["mediaType"]), (2, "application/vnd.oci.image.index.v1+json"))
        self.named = set()
        found = {}
        for descriptor in index["manifests"]:
            manifest = json.loads(self.blob(descriptor, "application/vnd.oci.image.manifest.v1+json"))
            self.assertEqual((manifest["schemaVersion"], manifest["mediaType"]), (2, "application/vnd.oci.image.manifest.v1+json"))
            [layer] = manifest["layers"]
            component = self.blob(layer, "application/wasm")
            config = json.loads(self.blob(manifest["config"], "application/vnd.wasm.config.v0+json"))
            self.assertEqual((config["created"], config["architecture"], config["os"]), ("2023-11-14T22:13:20Z", "wasm", "wasip2"))
            self.assertEqual(config["layerDigests"], [layer["digest"]])
            annotations = manifest["annotations"]
            self.assertEqual(annotations["org.opencontainers.image.licenses"], "Apache-2.0")
            name = annotations["org.opencontainers.image.title"]
            self.assertEqual(descriptor["annotations"]["org.opencontainers.image.ref.name"],
                             f"{name}:{annotations['org.opencontainers.image.version']}")
            found[name] = component, config["component"]
        self.assertEqual({name: component for name, (component, _) in found.items()}, {path.stem: path.read_bytes() for path in COMPONENTS})
        self.assertEqual({path.name for path in (layout / "blobs" / "sha256").iterdir()}, self.named)
        for name, (_, about) in found.items():
            self.assertEqual(about["exports"], ["wasi:http/incoming-handler@0.2.3" if name.endswith("p2") else "wasi:http/handler@0.3.0"])
            self.assertIn("wasi:http/types@0.2.3" if name.endswith("p2") else "wasi:http/types@0.3.0", about["imports"])

    def test_the_same_components_give_the_same_layout(self):
        again = self.folder / "again"
        self.make(again, reversed(COMPONENTS))
        files = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
        self.assertEqual(files, sorted(path.relative_to(self.folder / "layout") for path in (self.folder / "layout").rglob("*") if path.is_file()))
        for file in files:
            self.assertEqual((again / file).read_bytes(), (self.folder / "layout" / file).read_bytes())


if __name__ == "__main__":
    if missing(WASM_TOOLS, *COMPONENTS, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
