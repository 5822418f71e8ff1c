#!/usr/bin/env python3
"""java_package_test.py FOLDER LIBRARIES CONFORMANCE: PackageTest.java with the jar in FOLDER and the jars of LIBRARIES that its pom names, and
the cases of files, the module CONFORMANCE of folder_conformance.cpp. Standard library only."""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from java_module import fault_over  # noqa: E402
import other_files  # noqa: E402
from needed import missing  # noqa: E402


def main():
    folder, libraries, conformance = map(pathlib.Path, sys.argv[1:])
    if missing(folder, libraries, conformance, made_by="wasm"):
        return 1
    [pom] = folder.glob("*.pom")
    needed = re.findall(r"<artifactId>(.*)</artifactId>\s*<version>(.*)</version>", pom.read_text())[1:]
    jars = [*folder.glob("*.jar"), *(libraries / f"{name}-{version}.jar" for name, version in needed)]
    path = ":".join(map(str, jars))
    with tempfile.TemporaryDirectory(prefix="portail-java-") as name:
        other_files.make(f"{name}/folder")
        message = fault_over(conformance, f'new FolderStore(Path.of("{name}/folder"))', pathlib.Path(name) / "java", path)
    print(message, end="")
    if message != "19 cases passed\n":
        return 1
    return subprocess.run(["java", "-ea", "-XX:-DontCompileHugeMethods", "-cp", path, HERE / "PackageTest.java"]).returncode


if __name__ == "__main__":
    sys.exit(main())
