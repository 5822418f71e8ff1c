#!/usr/bin/env python3
"""Runs a suite component under wasmtime, with an empty folder for its host's buckets; or a suite module in Viceroy, with an empty store.

run_suite.py [--serve | --viceroy] HOST COMPONENT: if the suite's store is asynchronous, a request runs the suite.
Exit status 0 when every test passed. Python's standard library only.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from run_contract import stop_and_check  # noqa: E402, of this folder
from serving import Wasmtime  # noqa: E402


def run(wasmtime, component, folder):
    """Returns whether the suite passed, and its output."""
    done = subprocess.run([wasmtime, "run", "--dir", f"{folder}::/buckets", "--invoke", "run()", component],
                          stdout=subprocess.PIPE, text=True)
    # wasmtime prints the result of run() after the suite's output.
    return done.returncode == 0 and done.stdout.rstrip().endswith("\ntrue"), done.stdout


def serve(wasmtime, component, folder):
    buckets = folder / "buckets"
    buckets.mkdir()
    server = Wasmtime(wasmtime, component, folder / "log", "-S", "config", "--dir", f"{buckets}::/buckets")
    try:
        server.wait_for_address()
        status, _, _ = server.ask("/health/ready")
    finally:
        fault = stop_and_check(server)
    # The host prefixes each line with its instance.
    return status == 200 and not fault, re.sub(r"(?m)^std(?:out|err) \[\d+\] ?(?::: ?)?", "", server.output())


def run_in_viceroy(viceroy, module, folder):
    settings = folder / "fastly.toml"
    settings.write_text("manifest_version = 3\nlocal_server.kv_stores.portail = []\n")
    done = subprocess.run([viceroy, "run", "-C", settings, module], stdout=subprocess.PIPE, text=True)
    return done.returncode == 0, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--serve", dest="run", action="store_const", const=serve, default=run, help="the suite is a component of wasi:http")
    how.add_argument("--viceroy", dest="run", action="store_const", const=run_in_viceroy, help="the suite is a module of Fastly Compute")
    parser.add_argument("host")
    parser.add_argument("component")
    arguments = parser.parse_args()
    if missing(arguments.host, arguments.component, made_by="edge --test"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-buckets-") as name:
        passed, printed = arguments.run(arguments.host, arguments.component, pathlib.Path(name))
    print(printed)
    return 0 if passed and "tests from 2 test suites ran." in printed else 1


if __name__ == "__main__":
    sys.exit(main())
