#!/usr/bin/env python3
"""go_package_test.py MODULE CACHE CONFORMANCE: the tests of the Go module, in a copy without a network; CACHE has the modules that it needs,
CONFORMANCE is the module of folder_conformance.cpp. Standard library only."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402


def main():
    module, cache, conformance = map(pathlib.Path, sys.argv[1:])
    if missing(module, cache, conformance, made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-go-") as name:
        copy = shutil.copytree(module, pathlib.Path(name) / "portail")
        environment = os.environ | {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-modcacherw", "GOMODCACHE": str(cache),
                                    "TEST_FOLDER_CONFORMANCE": str(conformance)}
        return max(subprocess.run(["go", *command], cwd=copy, env=environment).returncode for command in (["vet", "."], ["test", "."]))


if __name__ == "__main__":
    sys.exit(main())
