#!/usr/bin/env python3
"""Runs a suite component under wasmtime, with an empty folder for its host's buckets.

run_suite.py [--serve] WASMTIME COMPONENT: where the suite's store waits for its host, the suite is run by a request.
Exit status 0 when every test passed, 77 when the component or wasmtime is not there. Python's standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from run_contract import SKIPPED, Server


def run(wasmtime, component, folder):
    """Whether it passed, and what it printed."""
    done = subprocess.run([wasmtime, "run", "--dir", f"{folder}::/buckets", "--invoke", "run()", component],
                          stdout=subprocess.PIPE, text=True)
    # wasmtime prints what run() returned after all that the suite printed.
    return done.returncode == 0 and done.stdout.rstrip().endswith("\ntrue"), done.stdout


def serve(wasmtime, component, folder):
    buckets = folder / "buckets"
    buckets.mkdir()
    server = Server("suite", wasmtime, component, {}, f"{buckets}::/buckets", folder)
    try:
        server.wait_for_address()
        passed = server.readiness() == 200
    finally:
        fault = server.stop()
    return passed and not fault, server.log_path.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve", action="store_true", help="the suite is a component of wasi:http")
    parser.add_argument("wasmtime")
    parser.add_argument("component")
    arguments = parser.parse_args()
    for needed in (arguments.wasmtime, arguments.component):
        if not os.path.exists(needed):
            print(f"skipped: {needed} is not there; `tools/dev edge` makes it")
            return SKIPPED
    with tempfile.TemporaryDirectory(prefix="portail-buckets-") as name:
        passed, printed = (serve if arguments.serve else run)(arguments.wasmtime, arguments.component, pathlib.Path(name))
    print(printed)
    return 0 if passed and "tests from 2 test suites ran." in printed else 1


if __name__ == "__main__":
    sys.exit(main())
