#!/usr/bin/env python3
"""components_test.py TARBALL PORTAIL WASMTIME: the tarball of the components is complete, and serves a portal as it is. Standard library
only."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import urllib.request

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "support"))
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Running, Serving, Spin  # noqa: E402

TARBALL, PORTAIL, WASMTIME = (pathlib.Path(argument).absolute() for argument in sys.argv[1:])
COMPONENTS = {f"portail-{role}{host}.wasm" for role in ("", "manage-") for host in ("spin", "spin-p2", "wasi-keyvalue", "wasmtime", "wasmtime-p2")}
MODULES = {"portail-fastly.wasm", "portail-manage-fastly.wasm"}


class ComponentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-components-")))
        with tarfile.open(TARBALL) as archive:
            archive.extractall(cls.folder, filter="data")
        cls.contents = cls.folder / TARBALL.name.removesuffix(".tar.gz")

    def test_each_component_is_a_file_and_a_layer_of_the_oci_layout(self):
        files = {path.name: path for path in self.contents.glob("*.wasm")}
        self.assertEqual(set(files), COMPONENTS | MODULES)
        digests = {f"sha256:{hashlib.sha256(files[name].read_bytes()).hexdigest()}" for name in COMPONENTS}
        layout = self.contents / "oci"

        def blob(descriptor):
            return layout / "blobs" / descriptor["digest"].replace(":", "/")

        manifests = [json.loads(blob(each).read_text()) for each in json.loads((layout / "index.json").read_text())["manifests"]]
        self.assertEqual({layer["digest"] for manifest in manifests for layer in manifest["layers"]}, digests)

    def test_a_registry_accepts_and_returns_a_component(self):
        configuration = self.folder / "registry.yml"
        configuration.write_text(json.dumps({"version": 0.1, "http": {"addr": "127.0.0.1:0"},
                                             "storage": {"filesystem": {"rootdirectory": str(self.folder / "registry")}}}))
        with Running(["docker-registry", "serve", configuration], self.folder / "registry.log") as registry:
            address = registry.wait_for(r"listening on (127\.0\.0\.1:\d+)")[1]
            subprocess.run(["skopeo", "copy", "--quiet", "--insecure-policy", "--dest-tls-verify=false",
                            f"oci:{self.contents / 'oci'}:portail-wasmtime:0.1.0", f"docker://{address}/portail-wasmtime:0.1.0"], check=True)
            repository = f"http://{address}/v2/portail-wasmtime"
            manifest = urllib.request.Request(f"{repository}/manifests/0.1.0", headers={"Accept": "application/vnd.oci.image.manifest.v1+json"})
            with urllib.request.urlopen(manifest) as answer:
                layers = json.load(answer)["layers"]
            self.assertEqual([layer["mediaType"] for layer in layers], ["application/wasm"])
            with urllib.request.urlopen(f"{repository}/blobs/{layers[0]['digest']}") as answer:
                self.assertEqual(answer.read(), (self.contents / "portail-wasmtime.wasm").read_bytes())

    def test_the_manifests_of_spin_name_components_of_the_tarball(self):
        for name, component, source in (("spin", "portail", "portail-spin"), ("spin-p2", "portail", "portail-spin-p2"),
                                        ("manage", "portail-manage", "portail-manage-spin"),
                                        ("manage-p2", "portail-manage", "portail-manage-spin-p2")):
            manifest = tomllib.loads((self.contents / f"{name}.toml").read_text())
            self.assertEqual({component: each["source"] for component, each in manifest["component"].items()}, {component: f"{source}.wasm"})
        self.assertEqual({path.name for path in (self.contents / "runtime-config").iterdir()},
                         {"sqlite.toml", "redis.toml", "dynamodb.toml", "cosmos.toml"})

    def test_the_manifest_of_fastly_copies_the_module(self):
        manifest, original = (tomllib.loads(path.read_text()) for path in (self.contents / "fastly.toml", CHECKOUT / "edge/fastly/fastly.toml"))
        self.assertEqual(manifest.pop("scripts"), {"build": "mkdir -p bin && cp portail-fastly.wasm bin/main.wasm"})
        original.pop("scripts")
        self.assertEqual(manifest, original)

    def test_the_template_of_spin_makes_the_application(self):
        content = self.contents / "templates/portail/content"
        text = (content / "spin.toml").read_text()
        self.assertEqual((text.count("{% raw %}"), text.count("{% endraw %}")), (14, 14))
        for parameter in ("{{project-name | kebab_case}}", "{{issuer}}", "{{audience}}"):
            self.assertEqual(text.count(parameter), 1)
        rendered = re.sub(r"\{% (raw|endraw) %\}", "", text)
        manifest, original = tomllib.loads(rendered), tomllib.loads((self.contents / "spin.toml").read_text())
        self.assertEqual(manifest["component"], original["component"])
        self.assertNotIn("build", manifest["component"]["portail"])
        self.assertEqual((content / "portail-spin.wasm").read_bytes(), (self.contents / "portail-spin.wasm").read_bytes())
        self.assertEqual({path.name for path in content.iterdir()}, {"spin.toml", "portail-spin.wasm", "runtime-config"})

    @unittest.skipUnless(os.environ.get("TEST_SPIN"), "TEST_SPIN names no Spin")
    def test_spin_makes_and_serves_an_application_of_the_template(self):
        portal = Portal(PORTAIL, self.folder / "template")
        portal.keys.parent.mkdir()
        portal.make_keys("--alg", "EdDSA", "--kid", "one")
        environment = os.environ | {"HOME": str(self.folder), "SPIN_DATA_DIR": str(self.folder / "spin")}

        def spin(*arguments):
            subprocess.run([os.environ["TEST_SPIN"], *arguments], check=True, env=environment, cwd=portal.keys.parent, stdout=subprocess.DEVNULL)

        spin("templates", "install", "--dir", self.contents)
        spin("new", "-t", "portail", "demo", "--accept-defaults", "--value", f"issuer={portal.issuer}")
        demo = portal.keys.parent / "demo"
        portal.run("import", "--store", f"dir:{self.folder / 'for-spin'}", CHECKOUT / "fixtures/portail.json")
        portal.run("migrate", f"dir:{self.folder / 'for-spin'}", f"spin-sqlite:{self.folder / 'values.db'}")
        settings = {"PORTAIL_JWKS": portal.public.read_text()}
        with Spin(os.environ["TEST_SPIN"], demo / "spin.toml", self.folder / "spin.log", self.folder / "values.db", settings) as server:
            self.assertEqual(server.ask("/api/app/liasse/L-2024-0002", portal.bearer("sub-client-1"))[0], 200, server.output())

    def test_the_script_serves_a_portal(self):
        portal = Portal(PORTAIL, self.folder)
        portal.make_keys("--alg", "EdDSA", "--kid", "one")
        store = self.folder / "data"
        portal.run("import", "--store", f"dir:{store}", CHECKOUT / "fixtures/portail.json")
        environment = {"PATH": f"{WASMTIME.parent}:/usr/bin:/bin", "HOME": str(self.folder), "LISTEN": "127.0.0.1:0"} | portal.settings
        with Serving([self.contents / "serve", store], self.folder / "log", environment, self.folder) as server:
            status, _, body = server.ask("/api/app/liasse/L-2024-0002", portal.bearer("sub-client-1"))
            self.assertEqual((status, json.loads(body)["id"]), (200, "L-2024-0002"))

    def test_nothing_names_the_build(self):
        texts = [path for path in self.contents.rglob("*") if path.is_file() and path.suffix != ".wasm" and "blobs" not in path.parts]
        self.assertGreater(len(texts), 8)
        for path in texts:
            self.assertNotRegex(path.read_text(), re.escape(os.fspath(CHECKOUT)) + r"|build/wasi|\.\./\.\.")


if __name__ == "__main__":
    if missing(TARBALL, PORTAIL, WASMTIME, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
