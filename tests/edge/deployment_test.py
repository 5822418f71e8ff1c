#!/usr/bin/env python3
"""Tests the deployment files of edge/: their names and settings exist in hosts and components, and commands that can run here are run.

Arguments: the native program, wasmtime, and the folder of the components. Python's standard library, and its yaml.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from portal import Portal, clean_environment  # noqa: E402
from serving import Serving  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
EDGE = CHECKOUT / "edge"
UNIT = EDGE / "wasmtime" / "portail-edge.service"
PORTAIL, WASMTIME, COMPONENTS = sys.argv[1:4]
# The variables that components have.
VARIABLES = set(re.findall(r'\.variable = "(PORTAIL_[A-Z_]+)"', (CHECKOUT / "core/settings/guest_settings.hpp").read_text()))
BUILT = set(re.findall(r"^portail_component\((\S+)", (EDGE / "CMakeLists.txt").read_text(), re.MULTILINE))


def settings_of(path):
    """The variables of an environment file, without its comments."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


class ServeScript(unittest.TestCase):
    """edge/wasmtime/serve, with a stub of wasmtime that prints its arguments."""

    def serve(self, folder, store):
        stub = pathlib.Path(folder) / "wasmtime"
        stub.write_text("#!/bin/sh\necho \"$@\"\n")
        stub.chmod(0o755)
        return subprocess.run([EDGE / "wasmtime" / "serve", store], capture_output=True, text=True,
                              env={"PATH": f"{folder}:/usr/bin:/bin"})

    def test_a_folder_without_a_portal_is_one_line(self):
        with tempfile.TemporaryDirectory(prefix="portail-serve-") as folder:
            store = pathlib.Path(folder) / "tpyo"
            for _ in range(2):
                done = self.serve(folder, store)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"^\S+/serve: {store} holds no portal: .*portail import.*\n$")
                store.mkdir(exist_ok=True)  # as a volume that is not mounted

    def test_a_portal_is_served(self):
        with tempfile.TemporaryDirectory(prefix="portail-serve-") as folder:
            store = pathlib.Path(folder) / "data"
            subprocess.run([PORTAIL, "import", "--store", f"dir:{store}", CHECKOUT / "fixtures" / "portail.json"], check=True,
                           capture_output=True, env=clean_environment())
            done = self.serve(folder, store)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"--dir {store}::/data", done.stdout)


class SystemdUnit(unittest.TestCase):
    def with_paths(self, **paths):
        """Returns the unit's text, with the paths of this build instead of those of an installation."""
        text = UNIT.read_text()
        for path, replacement in {"/usr/local/bin/wasmtime": WASMTIME, "/usr/local/lib/portail": COMPONENTS, **paths}.items():
            self.assertIn(path, text)
            text = text.replace(path, str(replacement))
        return text

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze (package systemd) is not installed")
    def test_it_is_well_formed(self):
        with tempfile.TemporaryDirectory(prefix="portail-unit-") as folder:
            unit = pathlib.Path(folder) / UNIT.name
            unit.write_text(self.with_paths())
            done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze (package systemd) is not installed")
    def test_it_is_hardened(self):
        done = subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=100",
                               UNIT], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        measured = re.search(r"Overall exposure level for portail-edge.service: (\d+\.\d)", done.stdout)
        promised = re.search(r"gives it an exposure of\s+(\d+\.\d)", (EDGE.parent / "docs/how-to/deploy-components.md").read_text(encoding="utf-8"))
        self.assertEqual(measured.group(1), promised.group(1), done.stdout)

    def test_its_settings_are_those_of_the_component(self):
        used = set(settings_of(EDGE / "wasmtime" / "portail-edge.env")) - {"LISTEN"}
        self.assertGreater(len(used), 3)
        self.assertEqual(used - VARIABLES, set())

    def test_its_command_serves(self):
        with tempfile.TemporaryDirectory(prefix="portail-unit-") as name:
            folder = pathlib.Path(name)
            store = folder / "portail-edge"
            store.mkdir()  # as systemd makes it: empty
            environment = settings_of(EDGE / "wasmtime" / "portail-edge.env") | {"LISTEN": "127.0.0.1:0"}
            portal = Portal(PORTAIL, folder, environment["PORTAIL_ISSUER"], environment["PORTAIL_AUDIENCE"])
            portal.run("import", "--store", f"dir:{store}", CHECKOUT / "fixtures" / "portail.json")
            portal.make_keys("--alg", "EdDSA", "--kid", "one")
            portal.public.rename(store / "config.jwks")

            line = re.search(r"^ExecStart=(.*)$", self.with_paths(**{"%S": folder}), re.MULTILINE)[1]
            command = [re.sub(r"\$\{(\w+)\}", lambda found: environment[found[1]], word) for word in shlex.split(line)]
            https = {"X-Forwarded-Proto": "https"}
            with Serving(command, folder / "log", environment) as server:
                self.assertEqual(server.ask("/health/ready", https)[0], 200)
                status, _, body = server.ask("/api/app/liasse", https | portal.bearer("any-client"))
                self.assertEqual((status, json.loads(body)), (200, []))


class Spin(unittest.TestCase):
    def test_manifests_name_built_components_and_known_settings(self):
        # Only an operator who asks for it serves the management interface, at an address of its own.
        for name, component, route in (("spin", "portail", "/..."), ("spin-p2", "portail", "/..."),
                                       ("manage", "portail-manage", "/manage/..."), ("manage-p2", "portail-manage", "/manage/...")):
            with self.subTest(name):
                path = EDGE / "spin" / f"{name}.toml"
                manifest = tomllib.loads(path.read_text())
                self.assertEqual(manifest["trigger"]["http"], [{"route": route, "component": component}])
                self.assertEqual(set(manifest["component"]), {component})
                for component in manifest["component"].values():
                    source = (path.parent / component["source"]).resolve()
                    self.assertEqual(source.parent, CHECKOUT / "build" / "wasi")
                    self.assertIn(source.stem, BUILT)
                    used = {name.upper() for name in component["variables"]}
                    self.assertLessEqual({"PORTAIL_ISSUER", "PORTAIL_AUDIENCE"}, used)
                    self.assertEqual(used - VARIABLES, set())
                    for template in component["variables"].values():
                        self.assertIn(template.strip("{} "), manifest["variables"])
                    self.assertEqual(component["key_value_stores"], ["default"])

    def test_stores_have_the_fields_that_spin_requires(self):
        required = {"sqlite": {"type", "path"}, "redis": {"type", "url"},
                  "cosmos": {"type", "account", "database", "container", "key"},
                  "dynamodb": {"type", "region", "table", "consistent_read"}}
        for name, fields in required.items():
            with self.subTest(name):
                stores = tomllib.loads((EDGE / "spin" / "runtime-config" / f"{name}.toml").read_text())["key_value_store"]
                self.assertEqual(set(stores), {"default"})
                self.assertEqual(set(stores["default"]), fields)


class WasmCloud(unittest.TestCase):
    def test_the_workload_lists_the_imports_of_the_component(self):
        settings, workload = yaml.safe_load_all((EDGE / "wasmcloud" / "workload.yaml").read_text())
        self.assertEqual(set(settings["data"]) - VARIABLES, set())
        interfaces = {entry["package"]: entry["interfaces"] for entry in workload["spec"]["template"]["spec"]["hostInterfaces"]}
        self.assertEqual(interfaces, {"http": ["handler", "incoming-handler"], "keyvalue": ["store", "batch"], "config": ["store"]})

    def test_wash_finds_the_component(self):
        configuration = yaml.safe_load((EDGE / "wasmcloud" / ".wash" / "config.yaml").read_text())
        path = pathlib.Path(configuration["build"]["component_path"])
        self.assertEqual((EDGE / "wasmcloud" / path).resolve().parent, CHECKOUT / "build" / "wasi")
        self.assertIn(path.stem, BUILT)
        self.assertEqual({name.upper() for name in configuration["workload"]["config"]} - VARIABLES, set())


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, *(f"{COMPONENTS}/{name}.wasm" for name in BUILT), made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
