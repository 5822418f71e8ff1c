#!/usr/bin/env python3
"""Checks the size of a component, or of a module of Fastly Compute, its metadata, its exact imports and exports, and that it contains no
paths of the build.

Exit status 0 when all is as expected. Python's standard library only.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from costs import excess_size  # noqa: E402
from needed import missing  # noqa: E402

MAX_SIZE = 660_000  # bytes
MAX_MODULE_SIZE = 640_000
MAX_MANAGEMENT_SIZE = 870_000  # of a management component, which reads and writes whole documents and verifies the audit
METADATA = {"description": r"Customer portal.*: .+", "licenses": "Apache-2.0",
            "source": r"https://.+", "version": r"\d+\.\d+\.\d+"}  # and its name

SECTIONS = {"component-name", "description", "licenses", "source", "version"}  # the custom ones

# Imports of every portal.
PORTAL = [
    "wasi:cli/environment@0.2.3",  # settings
    "wasi:cli/exit@0.2.3",  # wasi-libc, if the host provides no environment
    "wasi:cli/stderr@0.2.3",  # the log
    "wasi:clocks/monotonic-clock@0.2.3",  # the adapter of preview 1 serves all clocks by one function
    "wasi:clocks/wall-clock@0.2.3",
    "wasi:io/error@0.2.3",
    "wasi:io/streams@0.2.3",
    "wasi:random/random@0.2.3",
]
# Imports for HTTP; by its client keys are fetched.
HTTP_0_3 = ["wasi:clocks/monotonic-clock@0.3.0", "wasi:clocks/types@0.3.0", "wasi:http/client@0.3.0", "wasi:http/types@0.3.0"]
HTTP_0_2 = ["wasi:http/outgoing-handler@0.2.3", "wasi:http/types@0.2.3", "wasi:io/poll@0.2.3"]
# Imports of wasi-libc's files. The adapter has one table for files and standard streams. Opening a file reads the rights of a folder,
# for which the adapter checks whether a descriptor is a terminal.
FILES = [
    "wasi:cli/stdin@0.2.3",
    "wasi:cli/stdout@0.2.3",
    "wasi:cli/terminal-input@0.2.3",
    "wasi:cli/terminal-output@0.2.3",
    "wasi:cli/terminal-stderr@0.2.3",
    "wasi:cli/terminal-stdin@0.2.3",
    "wasi:cli/terminal-stdout@0.2.3",
    "wasi:filesystem/preopens@0.2.3",
    "wasi:filesystem/types@0.2.3",
]
# Imports for the asynchronous stat of files.
ASYNC_FILES = ["wasi:clocks/system-clock@0.3.0", "wasi:filesystem/preopens@0.3.0", "wasi:filesystem/types@0.3.0"]
SPIN_CONFIG = ["wasi:config/store@0.2.0-draft-2024-09-27"]
SPIN_BUCKETS = ["wasi:keyvalue/atomics@0.2.0-draft2", "wasi:keyvalue/store@0.2.0-draft2"]
# Those of a module: its host's, and functions of preview 1. wasi-libc refers to those of files when a program ends.
FASTLY = [f"fastly_{name}" for name in ("abi", "async_io", "config_store", "http_body", "http_req", "http_resp", "kv_store", "log", "secret_store")]
PREVIEW1 = [f"wasi_snapshot_preview1 {name}" for name in ("clock_time_get", "environ_get", "environ_sizes_get", "fd_close", "fd_seek", "fd_write",
                                                         "poll_oneoff", "proc_exit", "random_get")]
IMPORTS = {
    "portail-fastly": FASTLY + PREVIEW1,
    # The folder store waits for a lock with nanosleep, which polls.
    "portail-wasmtime": PORTAL + HTTP_0_3 + FILES + ASYNC_FILES + ["wasi:io/poll@0.2.3"],
    "portail-wasmtime-p2": PORTAL + HTTP_0_2 + FILES,
    "portail-wasi-keyvalue": PORTAL + HTTP_0_3 + ["wasi:config/store@0.2.0-rc.1", "wasi:keyvalue/batch@0.2.0-draft",
                                                  "wasi:keyvalue/store@0.2.0-draft"],
    "portail-spin": PORTAL + HTTP_0_3 + SPIN_CONFIG + SPIN_BUCKETS + ["spin:key-value/key-value@3.0.0"],
    "portail-spin-p2": PORTAL + HTTP_0_2 + SPIN_CONFIG + SPIN_BUCKETS,
}
EXPORTS = {
    "portail-fastly": ["_start", "memory"],
    "portail-wasmtime": ["wasi:http/handler@0.3.0"],
    "portail-wasmtime-p2": ["wasi:http/incoming-handler@0.2.3"],
    "portail-wasi-keyvalue": ["wasi:http/handler@0.3.0"],
    "portail-spin": ["wasi:http/handler@0.3.0"],
    "portail-spin-p2": ["wasi:http/incoming-handler@0.2.3"],
}
# All interfaces of these packages that Spin 4.1 implements. Stable versions of 0.2 match each other, up to Spin's own.
SPIN_WORLD = re.compile(r"wasi:(cli|clocks|filesystem|http|io|random|sockets)/[a-z-]+@(0\.2\.[0-6]|0\.3\.0)"
                        r"|wasi:keyvalue/(store|atomics|batch)@0\.2\.0-draft2|spin:key-value/key-value@3\.0\.0"
                        r"|wasi:config/store@0\.2\.0-draft-2024-09-27")


def world_of(text):
    """Returns the imports and the exports of a component, from the output of `wasm-tools component wit`."""
    world = text.split("}")[0]
    return [sorted(re.findall(rf"^  {kind} (\S+);$", world, re.MULTILINE)) for kind in ("import", "export")]


def world_of_module(text):
    """The same of a module, from the output of `wasm-tools print`."""
    imports = re.findall(r'^  \(import "([^"]*)" "([^"]*)"', text, re.MULTILINE)
    return [sorted({module if module.startswith("fastly_") else f"{module} {name}" for module, name in imports}),
            sorted(re.findall(r'^  \(export "([^"]*)"', text, re.MULTILINE))]


def check_world(name, imports, exports):
    for interface in sorted(set(imports) - set(IMPORTS[name])):
        yield f"imports {interface}, which is not expected"
    for interface in sorted(set(IMPORTS[name]) - set(imports)):
        yield f"does not import {interface}: take it from the list"
    if exports != EXPORTS[name]:
        yield f"exports {exports}"
    if "spin" in name:
        for interface in imports:
            if not SPIN_WORLD.fullmatch(interface):
                yield f"imports {interface}, which Spin does not offer"


def check_metadata(name, metadata):
    for field, pattern in (METADATA | {"name": re.escape(name)}).items():
        if not re.fullmatch(pattern, metadata.get(field) or ""):
            yield f"its metadata has the {field} {metadata.get(field)!r}"


def check_sections(text, expected):
    """Checks that what is stripped has no custom sections except its metadata: no debug information or producers. `text` is the output of
    `wasm-tools objdump`."""
    found = set(re.findall(r'^ *custom "([^"]*)"', text, re.MULTILINE))
    for section in sorted(found - expected):
        yield f"has the custom section {section}"
    for section in sorted(expected - found):
        yield f"has no custom section {section}"


def check_paths(content):
    """Checks that the component contains no paths of the build, the user or the compiler."""
    checkout = pathlib.Path(__file__).resolve().parent.parent.parent
    for location in (str(checkout).encode(), os.path.expanduser("~/").encode(), b"/home/", b"/usr/", b"/build/", b"/tmp/"):
        if location != b"/" and location in content:
            yield f"has {location.decode()} in it"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("component")
    parser.add_argument("--wasm-tools", required=True)
    arguments = parser.parse_args()
    if missing(arguments.component, arguments.wasm_tools, made_by="edge --test"):
        return 1

    def ask(*command):
        return subprocess.run([arguments.wasm_tools, *command, arguments.component], check=True, capture_output=True,
                              text=True).stdout

    name = os.path.basename(arguments.component).removesuffix(".wasm")
    public = name.replace("-manage-", "-")  # of the same world
    content = pathlib.Path(arguments.component).read_bytes()
    shown = json.loads(ask("metadata", "show", "--json"))
    if is_module := "module" in shown:
        world, metadata, sections = world_of_module(ask("print", "--skeleton")), shown["module"], SECTIONS - {"component-name"} | {"name"}
    else:
        world, metadata, sections = world_of(ask("component", "wit")), shown["component"]["metadata"], SECTIONS
    faults = [*check_world(public, *world), *check_metadata(name, metadata), *check_sections(ask("objdump"), sections), *check_paths(content)]
    max_size = MAX_MANAGEMENT_SIZE if name != public else MAX_MODULE_SIZE if is_module else MAX_SIZE
    if excess := excess_size(name, len(content), max_size):
        faults.append(excess)

    print(f"{name}: {len(content)} bytes")
    for fault in faults:
        print(f"{name} {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
