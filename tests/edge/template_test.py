#!/usr/bin/env python3
"""Installs the CMake package portail-edge, builds its template outside this checkout, and sends requests to the component.

Arguments: the build folder of the components, wasm-tools and wasmtime. Python's standard library only.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402

BUILD, WASM_TOOLS, WASMTIME = map(pathlib.Path, sys.argv[1:4])


def run(*command, folder, path=f"{WASM_TOOLS.parent}:{os.environ['PATH']}"):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"PATH": path})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}")
    return done.stdout


class TemplateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-edge-")))
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--component", "edge", "--prefix", cls.prefix, folder=cls.folder)

    def built(self, adapter):
        """Builds the component of an installed copy of the template with that adapter, and returns it."""
        own = self.folder / adapter
        shutil.copytree(self.prefix / "share/portail-edge/template", own)
        lists = own / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("portail-edge::http3", f"portail-edge::{adapter}"))
        run("cmake", "-G", "Ninja", "-B", "build", "--toolchain", self.prefix / "share/portail-edge/toolchain.cmake", folder=own)
        run("cmake", "--build", "build", folder=own)
        return own / "build" / "greeting.wasm"

    def test_both_adapters(self):
        for adapter, exported in (("http3", "wasi:http/handler@0.3.0"), ("http2", "wasi:http/incoming-handler@0.2.3")):
            with self.subTest(adapter):
                component = self.built(adapter)
                self.assertIn(f"export {exported}", run(WASM_TOOLS, "component", "wit", component, folder=self.folder))
                self.assertIn("greeting", run(WASM_TOOLS, "metadata", "show", component, folder=self.folder))
                # Without the linker's garbage collection it would have megabytes.
                self.assertLess(component.stat().st_size, 100_000)
                with Wasmtime(WASMTIME, component, self.folder / f"{adapter}.log") as host:
                    status, headers, body = host.ask("/Chlo%C3%A9")
                    self.assertEqual((status, headers["Content-Type"], body), (200, "text/plain", b"Hello Chlo%C3%A9\n"))
                    status, headers, _ = host.ask("/", method="POST", body=b"x")
                    self.assertEqual((status, headers["Allow"]), (405, "GET"))

    def test_another_compiler_is_refused_in_words(self):
        own = self.folder / "other"
        shutil.copytree(self.prefix / "share/portail-edge/template", own)
        with self.assertRaisesRegex(AssertionError, r"portail-edge was built by clang \d+\s+and\s+works\s+with\s+no\s+other"):
            run("cmake", "-G", "Ninja", "-B", "build", f"-Dportail-edge_DIR={self.prefix / 'lib/cmake/portail-edge'}", folder=own)

    def test_a_missing_program_is_reported_with_what_to_install(self):
        own = self.folder / "without"
        shutil.copytree(self.prefix / "share/portail-edge/template", own)
        configure = ("cmake", "-G", "Ninja", "-B", "build", "--toolchain", self.prefix / "share/portail-edge/toolchain.cmake")
        with self.assertRaises(AssertionError) as refusal:
            run(*configure, folder=own, path=os.environ["PATH"])
        self.assertIn("wasm-tools is missing: install it with `cargo install --locked wasm-tools`, or set -Dportail_wasm_tools=PATH",
                      " ".join(str(refusal.exception).split()))
        with self.assertRaises(AssertionError) as refusal:
            run(*configure, f"-Dportail_wasm_tools={WASM_TOOLS}", "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF",
                "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", folder=own)
        self.assertIn("wasm-opt is missing: on Debian, install binaryen, or set -Dportail_wasm_opt=PATH",
                      " ".join(str(refusal.exception).split()))

    def test_no_name_of_this_checkout_is_in_it(self):
        checkout = str(pathlib.Path(__file__).resolve().parents[2])
        texts = [path for path in self.prefix.rglob("*") if path.suffix in (".cmake", ".txt", ".hpp", ".h")]
        self.assertGreater(len(texts), 30)
        self.assertEqual([path for path in texts if checkout in path.read_text()], [])


if __name__ == "__main__":
    if missing(BUILD / "hello-p3.wasm", WASM_TOOLS, WASMTIME, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
