#!/usr/bin/env python3
"""python_package_test.py PORTAIL PYTHON FOLDER CONFORMANCE: the Python package's wheel in FOLDER, and the package as it is installed for PYTHON.

The cases are in python_package_cases.py, which PYTHON runs; CONFORMANCE is the module of folder_conformance.cpp. Standard library only."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from run_node_tests import make_sample  # noqa: E402


def main():
    portail, python, wheels, conformance = sys.argv[1:]
    if missing(portail, python, wheels, conformance, made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-python-") as name:
        sample = pathlib.Path(name) / "sample.json"
        sample.write_text(make_sample(portail, pathlib.Path(name)))
        environment = os.environ | {"TEST_SAMPLE": str(sample), "TEST_WHEELS": wheels, "TEST_FOLDER_CONFORMANCE": conformance}
        return subprocess.run([python, "-B", HERE / "python_package_cases.py", "--verbose"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
