#!/usr/bin/env python3
"""Runs the contract suite against an example of wasm/examples, under its host.

Makes keys and a folder store in a temporary folder, installs the package's tarball beside a copy of the example, starts
it once for each setting that the contract speaks of, each on a free port over the same folder, runs the suite, and stops
them. Exit status 0 when every run passed, 77 when the host or the tarball is not there. Python's standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from javascript_host import COMMANDS, Host, install_example, program_of

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "edge"))
from run_contract import SKIPPED, import_command, make_keys, run_suite, variables_of_hosts  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("host", choices=COMMANDS)
    parser.add_argument("--portail", required=True, help="the native program, which imports")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--tarball", required=True, help="what npm pack made of wasm/package")
    parser.add_argument("--runs", type=int, default=2, help="how often on the same store (2)")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite: --gtest_filter=…
    if not os.path.exists(arguments.tarball):
        print(f"skipped: {arguments.tarball} is not there; `tools/dev wasm` makes it")
        return SKIPPED
    if not program_of(arguments.host):
        print(f"skipped: {arguments.host} is not there; `tools/dev setup hosts` brings it")
        return SKIPPED

    failures = []
    servers = {}
    with tempfile.TemporaryDirectory(prefix="portail-wasm-") as name:
        folder = pathlib.Path(name)
        store = folder / "store"
        make_keys(arguments.portail, arguments.suite, folder)
        (folder / "empty.json").write_text("{}")
        subprocess.run([arguments.portail, "import", "--store", f"dir:{store}", folder / "empty.json"], check=True)
        example = install_example(arguments.host, os.path.abspath(arguments.tarball), folder)
        try:
            for setting, variables in variables_of_hosts(folder).items():
                servers[setting] = Host(setting, arguments.host, example, variables, store, folder)
            for server in servers.values():
                server.wait_for_address()
                expected = 503 if server.name == "KEYLESS" else 200
                if (status := server.readiness()) != expected:
                    raise RuntimeError(f"{server.name} is {status}:\n{server.said()}")
            importing = import_command(arguments.portail, store)
            for run in range(1, arguments.runs + 1):
                print(f"contract: run {run} of {arguments.runs} on {servers['BASE'].url}", flush=True)
                if run_suite(arguments, servers, folder, importing, extra) != 0:
                    failures.append(f"run {run}")
        except RuntimeError as error:
            failures.append(str(error))
        finally:
            failures += filter(None, [server.stop() for server in servers.values()])
    print(f"contract: {'passed' if not failures else 'FAILED: ' + '; '.join(failures)}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
