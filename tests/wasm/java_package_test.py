#!/usr/bin/env python3
"""java_package_test.py FOLDER LIBRARIES: PackageTest.java with the jar in FOLDER and the jars of LIBRARIES that its pom names. Standard
library only."""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402


def main():
    folder, libraries = map(pathlib.Path, sys.argv[1:3])
    if missing(folder, libraries, made_by="wasm"):
        return 1
    [pom] = folder.glob("*.pom")
    needed = re.findall(r"<artifactId>(.*)</artifactId>\s*<version>(.*)</version>", pom.read_text())[1:]
    jars = [*folder.glob("*.jar"), *(libraries / f"{name}-{version}.jar" for name, version in needed)]
    return subprocess.run(["java", "-ea", "-XX:-DontCompileHugeMethods", "-cp", ":".join(map(str, jars)), HERE / "PackageTest.java"]).returncode


if __name__ == "__main__":
    sys.exit(main())
