#!/usr/bin/env python3
"""abi_version_test.py JAR LIBRARIES: each host of the module needs the ABI version of the header, and the hosts that are built with the
module, `first.c` and the Java package, refuse one of another version. JAR is the folder of the Java package, LIBRARIES that of the jars which it needs.
Standard library only."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from check_module import EXPORTS, IMPORTS
from java_module import fault_over

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402

JAR, LIBRARIES = map(pathlib.Path, sys.argv[1:3])
VERSION = 3
HOSTS = {
    "wasm/abi/portail.h": r"^#define PORTAIL_ABI_VERSION (\d+)$",
    "wasm/hosts/go/portal.go": r"^\tabiVersion = (\d+)$",
    "wasm/hosts/java/portail/Portal.java": r"^    static final int ABI_VERSION = (\d+);$",
    "wasm/hosts/javascript/src/abi.ts": r"^export const version = (\d+);$",
    "wasm/hosts/python/portail/portal.py": r"^ABI_VERSION = (\d+)$",
    "docs/reference/module-abi.md": r"^`abi_version` is (\d+)\.",
}


def signature(text):
    """Returns a signature of check_module.py, "(i32) -> i32", in the text format of WebAssembly."""
    parameters, _, result = text.partition(" -> ")
    parts = [("param", parameters.strip("()").replace(",", "")), ("result", result)]
    return "".join(f" ({kind} {types})" for kind, types in parts if types)


def write_other_module(file):
    """Writes a module with the imports and exports of portail.wasm, each of whose functions returns 3."""
    lines = ["(module"]
    for name, type_ in IMPORTS.items():
        module, function = name.split(".")
        lines.append(f'(import "{module}" "{function}" (func{signature(type_)}))')
    lines.append('(memory (export "memory") 1)')
    for name, type_ in EXPORTS.items():
        if name != "memory":
            lines.append(f'(func (export "{name}"){signature(type_)}{" i32.const 4" if "->" in type_ else ""})')
    text = file.with_suffix(".wat")
    text.write_text("\n".join([*lines, ")"]), encoding="utf-8")
    must("wat2wasm", text, "--output", file)


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")


def run(*command):
    return subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True)


class NumberTest(unittest.TestCase):
    def test_each_host_needs_the_version_of_the_header(self):
        for path, pattern in HOSTS.items():
            found = re.findall(pattern, (CHECKOUT / path).read_text(encoding="utf-8"), re.MULTILINE)
            self.assertEqual(found, [str(VERSION)], path)

    def test_the_table_names_each_host_with_the_version(self):
        page = (CHECKOUT / "docs/reference/module-abi.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| ([^|]+) \| (\d+) \| [^|]+ \|$", page.partition("## Versions")[2], re.MULTILINE)
        self.assertEqual(rows, [(host, str(VERSION)) for host in
                                ("npm package 0.1", "Python package 0.1", "Go module 0.1", "Java package 0.1", "tarball 0.1, `first.c`")])


class OtherVersionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-version-")))
        write_other_module(cls.folder / "other.wasm")

    def test_the_program_of_the_tarball(self):
        must("wasm2c", "--module-name=module", f"--output={self.folder}/module.c", self.folder / "other.wasm")
        must("cc", "-w", f"-I{self.folder}", "-I/usr/share/wabt/wasm2c", "-o", self.folder / "first", CHECKOUT / "wasm/abi/first.c",
             self.folder / "module.c", "-lwasm-rt-impl", "-lsodium", "-lm")
        done = run(self.folder / "first")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", "the module has ABI version 4; this program needs 3\n"))

    def test_the_java_package(self):
        message = fault_over(self.folder / "other.wasm", "new MemoryStore()", self.folder / "java", f"{JAR}/*:{LIBRARIES}/*")
        self.assertEqual(message, "the module has ABI version 4; this package needs 3\n")


if __name__ == "__main__":
    if missing(JAR, LIBRARIES, "wat2wasm", made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
