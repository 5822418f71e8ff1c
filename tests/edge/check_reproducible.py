#!/usr/bin/env python3
"""Builds components again, from a copy of the sources in another folder, and compares them byte for byte.

The copy stays in build/elsewhere, for the next run. Python's standard library only.
"""

import argparse
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
ELSEWHERE = CHECKOUT / "build" / "elsewhere"
SOURCES = ["CMakeLists.txt", "CMakePresets.json", "cmake", "core", "edge"]
FETCHED = ["sources", "edge-tools", "wit-bindgen"]  # in build/, by tools/dev


def copy_sources():
    """Makes a copy with the times of the originals: files that have not changed since the last run are not built again."""
    for name in SOURCES:
        source, copy = CHECKOUT / name, ELSEWHERE / name
        if source.is_dir():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
        else:
            shutil.copy2(source, copy)
    for name in FETCHED:
        link = ELSEWHERE / "build" / name
        if not link.is_symlink():
            link.symlink_to(CHECKOUT / "build" / name)


def build(components, settings):
    """Builds the components in the copy. Returns whether it succeeded."""
    # A compiler cache may have these objects of an earlier run here, but must not use those of another folder.
    environment = os.environ | {"CCACHE_BASEDIR": ""}
    environment.pop("CCACHE_NOHASHDIR", None)
    for command in (["cmake", "--preset", "wasi", "-DPORTAIL_TESTS=OFF", *settings],
                    ["ninja", "-C", "build/wasi", *(f"{name}_component" for name in components)]):
        done = subprocess.run(command, cwd=ELSEWHERE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout)
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--components", required=True, type=pathlib.Path, help="the folder that they were built in")
    parser.add_argument("names", nargs="+")
    arguments = parser.parse_args()
    files = [f"{name}.wasm" for name in arguments.names]
    if missing(*(arguments.components / file for file in files), made_by="edge --test"):
        return 1

    (ELSEWHERE / "build").mkdir(parents=True, exist_ok=True)
    copy_sources()
    cache = (arguments.components / "CMakeCache.txt").read_text()
    settings = [f"-D{line}" for line in re.findall(r"^PORTAIL_SOURCE_URL:.*", cache, re.MULTILINE)]
    if not build(arguments.names, settings):
        return 1
    different = [file for file in files
                 if not filecmp.cmp(arguments.components / file, ELSEWHERE / "build" / "wasi" / file, shallow=False)]
    for file in different:
        print(f"{file} is another one when it is built in {ELSEWHERE}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
