#!/usr/bin/env python3
"""Checks that edge/bindings is the output of `wit-bindgen c` for edge/wit.

The generator is looked for in PATH, in build/edge-tools/bin and under WIT_BINDGEN; `tools/dev bindings` installs it.
Exit status 77 where there is none of the version that edge/generate-bindings names. Python's standard library only.
"""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
checkout = pathlib.Path(__file__).resolve().parent.parent.parent
script = checkout / "edge" / "generate-bindings"


def find_generator():
    version = re.search(r"^version=(\S+)$", script.read_text(), re.MULTILINE).group(1)
    for candidate in (os.environ.get("WIT_BINDGEN"), checkout / "build/edge-tools/bin/wit-bindgen",
                      shutil.which("wit-bindgen")):
        if not candidate or not os.path.exists(candidate):
            continue
        found = subprocess.run([candidate, "--version"], capture_output=True, text=True).stdout.split()
        if version in found:
            return str(candidate), version
    return None, version


def differences(expected, actual, name=""):
    compared = filecmp.dircmp(expected, actual)
    different = filecmp.cmpfiles(expected, actual, compared.common_files, shallow=False)
    places = [f"{name}{file}" for file in (*compared.left_only, *compared.right_only, *different[1], *different[2])]
    for folder in compared.common_dirs:
        places += differences(expected / folder, actual / folder, f"{name}{folder}/")
    return places


def main():
    generator, version = find_generator()
    if not generator:
        print(f"skipped: wit-bindgen {version} is not there; `tools/dev bindings` installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="portail-bindings-") as folder:
        subprocess.run([script, folder], check=True, env=os.environ | {"WIT_BINDGEN": generator},
                       stdout=subprocess.DEVNULL)
        places = differences(pathlib.Path(folder), checkout / "edge" / "bindings")
    for place in places:
        print(f"edge/bindings/{place} is not what edge/generate-bindings makes")
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
