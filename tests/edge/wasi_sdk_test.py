#!/usr/bin/env python3
"""wasi_sdk_test.py WASMTIME: the preset `wasi` builds a component with the WASI SDK in WASI_SDK_PREFIX. The SDK is a directory with the
layout of WASI SDK 25 and later, of copies of the installed clang, LLVM, wasi-libc and libc++. Standard library only."""

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

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
WASMTIME = sys.argv[1]
VERSION = "19"
LLVM, TARGET = pathlib.Path(f"/usr/lib/llvm-{VERSION}"), "wasm32-wasip1"
# Programs, and the names under which an SDK has them too.
PROGRAMS = {"clang": ["clang++"], "lld": ["wasm-ld"], "llvm-ar": ["llvm-ranlib"]}


def make_sdk(prefix):
    """Copies, not links: clang finds its linker, headers and builtins beside its own file."""
    (prefix / "bin").mkdir(parents=True)
    for program, names in PROGRAMS.items():
        shutil.copy(LLVM / "bin" / program, prefix / "bin" / program)
        for name in names:
            (prefix / "bin" / name).symlink_to(program)
    resources = pathlib.Path("lib/clang") / VERSION
    shutil.copytree(LLVM / resources / "include", prefix / resources / "include", symlinks=False)
    builtins = prefix / resources / "lib" / "wasm32-unknown-wasip1"
    builtins.mkdir(parents=True)
    shutil.copy(LLVM / resources / "lib/wasi/libclang_rt.builtins-wasm32.a", builtins / "libclang_rt.builtins.a")
    for folder in ("include", "lib"):
        shutil.copytree(f"/usr/{folder}/wasm32-wasi", prefix / "share/wasi-sysroot" / folder / TARGET)


def cmake(*arguments):
    environment = {name: value for name, value in os.environ.items() if name != "WASI_SDK_PREFIX"}
    return subprocess.run(["cmake", *arguments], cwd=CHECKOUT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=environment)


class WasiSdkTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-sdk-")))
        self.build = self.folder / "build"

    def configure(self, prefix):
        return cmake("--preset", "wasi", "-B", self.build, f"-DWASI_SDK_PREFIX={prefix}")

    def test_a_component_is_built_and_served(self):
        prefix = self.folder / "sdk"
        make_sdk(prefix)
        for done in (self.configure(prefix), cmake("--build", self.build, "--target", "hello-p3_component")):
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        # Debian's own headers and libraries are of the target wasm32-wasi, in which this compiler does not look.
        commands = (self.build / "compile_commands.json").read_text()
        self.assertIn(f"{prefix}/bin/clang++ --target={TARGET} --sysroot={prefix}/share/wasi-sysroot", commands)
        with Wasmtime(WASMTIME, self.build / "hello-p3.wasm", self.folder / "log") as server:
            status, _, body = server.ask("/")
            self.assertEqual((status, body), (200, b"Hello from C++\n"))

    def test_a_directory_that_is_no_sdk_is_named(self):
        (self.folder / "sdk").mkdir()
        done = self.configure(self.folder / "sdk")
        self.assertEqual(done.returncode, 1)
        self.assertIn("which is not a WASI SDK of version 25 or later", " ".join(done.stdout.split()))


if __name__ == "__main__":
    if missing(WASMTIME, LLVM / "bin" / "clang", made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
