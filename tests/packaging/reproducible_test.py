#!/usr/bin/env python3
"""The program's packages are built again, from a copy of the sources in another directory with other times, by a user with another
umask and in another time zone, and compared byte for byte. Argument: the folder of the packages.

The copy stays in build/elsewhere-native, for the next run. Standard library only."""

import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1])
CHECKOUT = HERE.parents[1]
ELSEWHERE = CHECKOUT / "build" / "elsewhere-native"
SOURCES = ["ARCHITECTURE.md", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "README.md", "SECURITY.md", "cmake", "core", "docs",
           "fixtures", "native", "page", "tests/packaging", "tools/docs"]
MAKE = """
set -euo pipefail
umask 077
export TZ=Pacific/Auckland
checkout=$PWD
for part in output packaging; do source "$1/tools/lib/$part.sh"; done
cmake --preset release -DPORTAIL_TESTS=OFF
ninja -C build portail packaged_files
rm -rf build/packages
mkdir -p build/packages
build_debian_packages build "$packages_folder"
build_tarball
"""


def copy_sources():
    # Packages of the page, which tools/dev downloads.
    fetched = ELSEWHERE / "build" / "page"
    shutil.rmtree(fetched, ignore_errors=True)
    shutil.copytree(CHECKOUT / "build" / "page", fetched, symlinks=True, copy_function=os.link)
    for name in SOURCES:
        source, copy = CHECKOUT / name, ELSEWHERE / name
        if source.is_dir():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy, copy_function=shutil.copy)
        else:
            shutil.copy(source, copy)


class ReproducibleTest(unittest.TestCase):
    def test_the_same_sources_give_the_same_bytes(self):
        (ELSEWHERE / "build").mkdir(parents=True, exist_ok=True)
        copy_sources()
        # A compiler cache may take an object of another folder only where the text that is compiled is the same to the byte: what
        # knows its folder, or its time, is compiled again, and found below.
        environment = os.environ | {"CCACHE_BASEDIR": str(ELSEWHERE), "CCACHE_NOHASHDIR": "true"}
        done = subprocess.run(["bash", "-c", MAKE, "bash", CHECKOUT], cwd=ELSEWHERE, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        made = sorted((ELSEWHERE / "build" / "packages").iterdir())
        self.assertEqual(len(made), 4)
        for path in made:
            self.assertTrue(filecmp.cmp(path, FOLDER / path.name, shallow=False), f"{path.name} has other bytes")


if __name__ == "__main__":
    if missing(FOLDER / "SHA256SUMS", made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
