#!/usr/bin/env python3
"""Runs the contract suite against a component over a folder, under `wasmtime serve` or wasmCloud; or against an application over SQLite,
under Spin.

Makes keys and a folder store in a temporary folder, starts one host for each setting that the contract
requires, each on a free port over the same folder, waits until they answer, runs the suite, and stops them.
Exit status 0 when every run passed. Python's standard library only.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "contract")]
from needed import missing  # noqa: E402
from serving import Spin, Wash, Wasmtime  # noqa: E402
from suite import keys_by_url, make_keys, make_store, portal_settings, run_suite, verdict  # noqa: E402

# Hosts of components do not end TLS, and cannot identify the peer.
SKIPPED_FEATURES = {"DIRECT", "FORWARDED_UNTRUSTED"}
MEMORY = 64 * 1024 * 1024  # bytes that an instance may have


def serve(arguments, store, settings, log):
    if arguments.spin:
        return Spin(arguments.spin, arguments.component, log, store, settings)
    if arguments.wash:
        settings = settings | {"PORTAIL_STORE": f"bucket:{pathlib.Path(store).name}"}
        return Wash(arguments.wash, os.path.abspath(arguments.component), log, pathlib.Path(store).parent, settings)
    return Wasmtime(arguments.wasmtime, arguments.component, log, "-S", "config", "-W", f"max-memory-size={MEMORY}",
                    "--dir", f"{store}::{arguments.mount}", settings=settings)


def stop_and_check(server):
    """Stops the server. Returns the end of its log if it failed, else None."""
    running = server.stop()
    log_text = server.output()
    return None if running and "trap" not in log_text and "error while executing" not in log_text else log_text[-2000:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--component", required=True)
    hosts = parser.add_mutually_exclusive_group(required=True)
    hosts.add_argument("--wasmtime")
    hosts.add_argument("--spin", nargs="?", const=os.environ.get("TEST_SPIN", ""),
                       help="the program (TEST_SPIN; exit status 77 without); --component is the manifest")
    hosts.add_argument("--wash", nargs="?", const=os.environ.get("TEST_WASH", ""), help="the program (TEST_WASH; 77 without)")
    parser.add_argument("--mount", default="/data", help="the path of the store inside the component or its composed host")
    parser.add_argument("--no-compare-and-swap", action="store_true", help="the component's store has none (docs/reference/stores.md)")
    parser.add_argument("--keys-by-url", action="store_true", help="the portals fetch their keys")
    parser.add_argument("--runs", type=int, default=2, help="how often on the same store (2)")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite: --gtest_filter=…
    if arguments.spin == "":
        print("skipped: TEST_SPIN names no Spin")
        return 77
    if arguments.wash == "":
        print("skipped: TEST_WASH names no wash")
        return 77
    host = arguments.wasmtime or arguments.spin or arguments.wash
    if missing(host, arguments.component, arguments.portail, arguments.suite, made_by="edge --test"):
        return 1

    failures = []
    with tempfile.TemporaryDirectory(prefix="portail-edge-") as name, contextlib.ExitStack() as fetching:
        folder = pathlib.Path(name)
        location = f"dir:{make_store(arguments.portail, folder)}"
        if arguments.spin:
            subprocess.run([arguments.portail, "migrate", location, f"spin-sqlite:{folder / 'values.db'}"], check=True)
            location = f"spin-sqlite:{folder / 'values.db'}"
        store = location.partition(":")[2]
        make_keys(arguments.portail, arguments.suite, folder)
        portals = {name: settings for name, settings in portal_settings(folder).items() if name not in SKIPPED_FEATURES}
        if arguments.keys_by_url:
            portals = fetching.enter_context(keys_by_url(portals))
        servers = {}
        try:
            for name, settings in portals.items():
                servers[name] = serve(arguments, store, settings, folder / f"{name}.log")
                if len(servers) == 1:
                    servers[name].wait_for_address()  # it compiles the component, and the others find that in wasmtime's cache
            for name, server in servers.items():
                server.wait_for_address()
                expected = 503 if name == "KEYLESS" else 200
                if arguments.keys_by_url:
                    server.ask("/api/app/liasse", {"Authorization": "Bearer x.y.z"})  # waits for the keys
                status, _, _ = server.ask("/health/ready")
                if status != expected:
                    raise RuntimeError(f"{name} is {status}:\n{server.output()}")
            urls = {name: server.url for name, server in servers.items()}
            failures += run_suite(arguments.suite, folder, urls, [arguments.portail, "import", "--store", location],
                                  arguments.runs, extra, host_parses_http="1",
                                  compare_and_swap="0" if arguments.no_compare_and_swap else "1")
        except RuntimeError as error:
            failures.append(str(error))
        finally:
            failures += [f"{name}:\n{fault}" for name, server in servers.items() if (fault := stop_and_check(server))]
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
