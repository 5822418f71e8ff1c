#!/usr/bin/env python3
"""Checks which directories of the product include which: tools/lint/layers.txt lists each directory, below those that it may include.

    tools/lint/layers.py [--print]

Both kinds of include count, "…" and <…>, if the file is one of the repository. --print prints the graph.
"""

import pathlib
import re
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = pathlib.Path(__file__).with_name("layers.txt")
SOURCE = re.compile(r"\.(cpp|hpp|c|h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def read_layers(text):
    """Returns the directories in order, each with the list of those that it may include; and the faults of the table."""
    layers, faults = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, uses = line.partition(":")
        if not colon or name in layers:
            faults.append(f"layers.txt:{number}: must be a new DIRECTORY: DIRECTORY…")
            continue
        layers[name] = uses.split()
        faults += [f"layers.txt:{number}: {each} is not above {name}" for each in layers[name] if each not in layers or each == name]
    return layers, faults


def directory_of(file, layers):
    """Returns the longest listed directory that contains the file, or None."""
    while "/" in file:
        file = file.rpartition("/")[0]
        if file in layers:
            return file
    return None


def check(layers, sources):
    """Returns the faults of the sources, a dictionary from file to text, and the pairs of the table that no include needs."""
    faults, needed = [], set()
    for file, text in sources.items():
        directory = directory_of(file, layers)
        if directory is None:
            faults.append(f"{file}: its directory is missing in layers.txt")
            continue
        for included in INCLUDE.findall(text):
            used = directory_of(included, layers) if included in sources or included.startswith("bindings/") else None
            if included.startswith(("tests/", "tools/")):
                faults.append(f"{file}: the product must not include {included}")
            if used in (None, directory):
                continue
            needed.add((directory, used))
            if used not in layers[directory]:
                faults.append(f"{file}: {directory} must not include {included}")
    unneeded = [(directory, used) for directory, uses in layers.items() for used in uses if (directory, used) not in needed]
    return faults + [f"layers.txt: {directory} does not include {used}" for directory, used in unneeded]


def product_sources():
    files = [file for directory in ("core", "page", "native", "edge", "wasm") for file in sorted((CHECKOUT / directory).rglob("*"))]
    return {file.relative_to(CHECKOUT).as_posix(): file.read_text(encoding="utf-8") for file in files
            if SOURCE.search(file.name) and file.is_file() and "node_modules" not in file.parts}


def main():
    layers, faults = read_layers(LAYERS.read_text(encoding="utf-8"))
    faults += check(layers, product_sources())
    if "--print" in sys.argv[1:]:
        for directory, uses in layers.items():
            print(f"{directory}: {' '.join(uses)}")
    for fault in faults:
        print(f"tools/lint/layers.py: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
