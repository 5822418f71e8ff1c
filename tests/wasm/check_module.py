#!/usr/bin/env python3
"""Checks the module's size, its imports and exports, and that every embedding runtime supports it.

Python's standard library only.
"""

import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from costs import excess_size  # noqa: E402
from needed import missing  # noqa: E402

MAX_SIZE = 600_000  # bytes
MAX_MANAGEMENT_SIZE = 740_000
# Features that wasm2c, wazero, Chicory, wasmtime and all current JavaScript engines support.
FEATURES = "mvp,sign-extension"
IMPORTS = {
    "portail.get_many": "(i32, i32, i32, i32)",
    "portail.put": "(i32, i32, i32, i32, i32, i32)",
    "portail.remove": "(i32, i32, i32, i32)",
    "portail.compare_and_swap": "(i32, i32, i32, i32, i32, i32, i32, i32)",
    "portail.file_status": "(i32, i32, i32, i32) -> i32",
    "portail.file_read": "(i32, i32, i32, i32, i32) -> i32",
    "portail.file_create": "(i32, i32, i32, i32, i32, i64, i32) -> i32",
    "portail.file_make_folder": "(i32, i32, i32) -> i32",
    "portail.file_rename": "(i32, i32, i32, i32, i32) -> i32",
    "portail.file_remove": "(i32, i32, i32, i32) -> i32",
    "portail.file_list": "(i32, i32, i32, i32, i32) -> i32",
    "portail.file_sync": "(i32, i32, i32) -> i32",
    "portail.wait": "(i32)",
    "portail.monotonic": "() -> i64",
    "portail.write": "(i32, i32, i32, i32)",
    "portail.fetch": "(i32, i32, i32, i32, i32, i32)",
    "portail.pause": "(i32, i32)",
    "portail.now": "() -> i64",
    "portail.random": "(i32, i32)",
    "portail.log": "(i32, i32, i32, i32, i32)",
}
MANAGEMENT_IMPORTS = IMPORTS | {"portail.list_keys": "(i32, i32, i32, i32)"}
EXPORTS = {
    "memory": "memory",
    "_initialize": "()",
    "abi_version": "() -> i32",
    "allocate": "(i32) -> i32",
    "release": "(i32)",
    "create": "(i32, i32, i32) -> i32",
    "create_in_folder": "(i32, i32, i32, i32, i32, i32) -> i32",
    "write_in_folder": "(i32, i32, i32) -> i32",
    "fault": "() -> i32",
    "fault_size": "() -> i32",
    "dispose": "(i32)",
    "begin": "(i32, i32, i32) -> i32",
    "state": "(i32) -> i32",
    "data": "(i32) -> i32",
    "data_size": "(i32) -> i32",
    "give_body": "(i32, i32, i32) -> i32",
    "lose_body": "(i32) -> i32",
    "next": "(i32) -> i32",
    "expire": "(i32) -> i32",
    "end": "(i32)",
    "complete": "(i32, i32, i32, i32) -> i32",
}

VALUE_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64"}
TYPE_SECTION, IMPORT_SECTION, FUNCTION_SECTION, EXPORT_SECTION = 1, 2, 3, 7


class Reader:
    """The primitives of WebAssembly's binary format."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def name(self):
        return self.take(self.number()).decode()

    def many(self, read):
        return [read() for _ in range(self.number())]

    def signature(self):
        assert self.byte() == 0x60
        parameters = self.many(lambda: VALUE_TYPES[self.byte()])
        results = self.many(lambda: VALUE_TYPES[self.byte()])
        return f"({', '.join(parameters)})" + (f" -> {', '.join(results)}" if results else "")


def interface(data):
    """Returns the imports and the exports, each as a map from name to type."""
    reader = Reader(data)
    assert reader.take(8) == b"\0asm\1\0\0\0"
    sections = {}
    while reader.at < len(data):
        identifier = reader.byte()
        sections[identifier] = Reader(reader.take(reader.number()))
    types = sections[TYPE_SECTION].many(sections[TYPE_SECTION].signature)

    imports, functions = {}, []
    reader = sections[IMPORT_SECTION]
    for _ in range(reader.number()):
        name = f"{reader.name()}.{reader.name()}"
        if reader.byte() != 0:
            raise ValueError(f"{name} is no function")
        functions.append(types[reader.number()])
        imports[name] = functions[-1]
    functions += [types[index] for index in sections[FUNCTION_SECTION].many(sections[FUNCTION_SECTION].number)]

    exports = {}
    reader = sections[EXPORT_SECTION]
    for _ in range(reader.number()):
        name, kind, index = reader.name(), reader.byte(), reader.number()
        exports[name] = functions[index] if kind == 0 else {1: "table", 2: "memory", 3: "global"}[kind]
    return imports, exports


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("--management", action="store_true", help="it is portail-manage.wasm")
    parser.add_argument("--wasm-tools", required=True)
    arguments = parser.parse_args()
    if missing(arguments.module, arguments.wasm_tools, made_by="wasm"):
        return 1

    faults = []
    max_size, known_imports = (MAX_MANAGEMENT_SIZE, MANAGEMENT_IMPORTS) if arguments.management else (MAX_SIZE, IMPORTS)
    with open(arguments.module, "rb") as file:
        data = file.read()
    print(f"{arguments.module}: {len(data)} bytes")
    if excess := excess_size(pathlib.Path(arguments.module).stem, len(data), max_size):
        faults.append(excess)
    imports, exports = interface(data)
    for kind, found, expected in (("import", imports, known_imports), ("export", exports, EXPORTS)):
        for name in sorted(found.keys() | expected.keys()):
            if found.get(name) != expected.get(name):
                faults.append(f"{kind} {name} is {found.get(name)}, not {expected.get(name)}")
    validated = subprocess.run([arguments.wasm_tools, "validate", f"--features={FEATURES}", arguments.module],
                               capture_output=True, text=True)
    if validated.returncode != 0:
        faults.append(f"not every embedder takes it: {validated.stderr.strip()}")

    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
