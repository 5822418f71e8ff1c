#!/usr/bin/env python3
"""Checks what a component is from outside: its size, its metadata, and that it asks the host for nothing unexpected.

Exit status 77 when the component or wasm-tools is not there. Python's standard library only.
"""

import argparse
import json
import os
import re
import subprocess
import sys

SKIPPED = 77
LARGEST = 400_000  # bytes
HIGHEST_0_2 = 6  # imports of WASI 0.2 claim no later version than hosts of this one have

# What wasi-libc and the adapter of preview 1 ask for, and what the portal asks for itself.
FILES = {"wasi:cli/environment", "wasi:cli/exit", "wasi:cli/stdin", "wasi:cli/stdout", "wasi:cli/stderr",
         "wasi:cli/terminal-input", "wasi:cli/terminal-output", "wasi:cli/terminal-stdin", "wasi:cli/terminal-stdout",
         "wasi:cli/terminal-stderr", "wasi:io/error", "wasi:io/poll", "wasi:io/streams", "wasi:clocks/monotonic-clock",
         "wasi:clocks/wall-clock", "wasi:filesystem/types", "wasi:filesystem/preopens", "wasi:random/random"}
IMPORTS = {
    "portail-wasmtime": FILES | {"wasi:http/types", "wasi:clocks/types"},
    "portail-wasmtime-p2": FILES | {"wasi:http/types"},
    "portail-wasi-keyvalue": FILES | {"wasi:http/types", "wasi:clocks/types", "wasi:config/store", "wasi:keyvalue/store",
                                      "wasi:keyvalue/batch"},
    "portail-spin-p2": FILES | {"wasi:http/types", "wasi:config/store", "wasi:keyvalue/store", "wasi:keyvalue/atomics"},
    "portail-spin": FILES | {"wasi:http/types", "wasi:clocks/types", "wasi:config/store", "spin:key-value/key-value",
                             "wasi:keyvalue/store", "wasi:keyvalue/atomics"},
}
# Versions that match nothing but themselves: those of the hosts that a component is for.
EXACT = {
    "portail-wasi-keyvalue": {"wasi:config": "0.2.0-rc.1", "wasi:keyvalue": "0.2.0-draft"},
    "portail-spin-p2": {"wasi:config": "0.2.0-draft-2024-09-27", "wasi:keyvalue": "0.2.0-draft2"},
    "portail-spin": {"wasi:config": "0.2.0-draft-2024-09-27", "wasi:keyvalue": "0.2.0-draft2", "spin:key-value": "3.0.0"},
}
EXPORTS = {
    "portail-wasmtime": ["wasi:http/handler@0.3.0"],
    "portail-wasmtime-p2": ["wasi:http/incoming-handler@0.2.3"],
    "portail-wasi-keyvalue": ["wasi:http/handler@0.3.0"],
    "portail-spin-p2": ["wasi:http/incoming-handler@0.2.3"],
    "portail-spin": ["wasi:http/handler@0.3.0"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("component")
    parser.add_argument("--wasm-tools", required=True)
    arguments = parser.parse_args()
    for needed in (arguments.component, arguments.wasm_tools):
        if not os.path.exists(needed):
            print(f"skipped: {needed} is not there; `tools/dev edge` makes it")
            return SKIPPED

    def ask(*command):
        return subprocess.run([arguments.wasm_tools, *command, arguments.component], check=True, capture_output=True,
                              text=True).stdout

    name = os.path.basename(arguments.component).removesuffix(".wasm")
    faults = []
    size = os.path.getsize(arguments.component)
    if size > LARGEST:
        faults.append(f"{size} bytes: at most {LARGEST}")

    world = ask("component", "wit").split("}")[0]
    imports = re.findall(r"^  import (\S+?)@(\S+);$", world, re.MULTILINE)
    exports = re.findall(r"^  export (\S+);$", world, re.MULTILINE)
    if not imports or exports != EXPORTS[name]:
        faults.append(f"exports {exports}, imports {imports}")
    for interface, version in imports:
        if interface not in IMPORTS[name]:
            faults.append(f"imports {interface}@{version}")
        exact = EXACT.get(name, {}).get(interface.split("/")[0])
        if exact:
            if version != exact:
                faults.append(f"imports {interface}@{version}, not {exact}")
            continue
        major, minor, patch = map(int, version.split("."))
        if (major, minor) == (0, 2) and patch > HIGHEST_0_2:
            faults.append(f"imports {interface}@{version}: hosts of WASI 0.2.{HIGHEST_0_2} may not have it")

    metadata = json.loads(ask("metadata", "show", "--json"))["component"]["metadata"]
    for field in ("name", "description", "licenses", "source", "version"):
        if not metadata.get(field):
            faults.append(f"its metadata has no {field}")

    print(f"{name}: {size} bytes")
    for fault in faults:
        print(f"{name}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
