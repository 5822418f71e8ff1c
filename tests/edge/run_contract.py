#!/usr/bin/env python3
"""Runs the contract suite against a component over a folder, under `wasmtime serve`.

Makes keys and a folder store in a temporary folder, starts one `wasmtime serve` for each setting that the contract
speaks of, each on a free port over the same folder, waits until they answer, runs the suite, and stops them.
Exit status 0 when every run passed, 77 when a component or wasmtime is not there. Python's standard library only.
"""

import argparse
import http.client
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "contract"))
from run_native import AUDIENCES, DOMAIN, ISSUER, ORIGIN, PATIENCE, make_keys  # noqa: E402

SKIPPED = 77
MEMORY = 64 * 1024 * 1024  # bytes that an instance may have


class Server:
    """One `wasmtime serve`; its address is read from its first lines."""

    def __init__(self, name, wasmtime, component, variables, mount, folder):
        self.name = name
        self.log_path = folder / f"{name}.log"
        arguments = [wasmtime, "serve", "-S", "cli,p3,config", "-W", f"max-memory-size={MEMORY}", "--addr", "127.0.0.1:0",
                     "--dir", mount]
        for key, value in variables.items():
            arguments += ["--env", f"{key}={value}"]
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen([*arguments, component], stdout=log, stderr=subprocess.STDOUT)
        self.url = None

    def wait_for_address(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"Serving HTTP on (http://\S+?)/?\s", self.log_path.read_text())
            if found:
                self.url = found.group(1)
                return
            time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not listen:\n{self.log_path.read_text()}")

    def readiness(self):
        connection = http.client.HTTPConnection(self.url.split("://")[1], timeout=PATIENCE)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status
        finally:
            connection.close()

    def stop(self):
        """What is wrong with how it ended; nothing where all is well."""
        running = self.process.poll() is None
        if running:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        log = self.log_path.read_text()
        if not running or "trap" in log or "error while executing" in log:
            return f"{self.name}:\n{log[-2000:]}"
        return None


def start_servers(arguments, folder, store):
    text = {name: (folder / f"{name}.json").read_text() for name in ("public", "rules", "refused")}
    common = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": ",".join(AUDIENCES), "PORTAIL_TRANSPORT": "loopback",
              "PORTAIL_ALLOW_ORIGINS": f"{ORIGIN},https://*.{DOMAIN}", "PORTAIL_JWKS": text["public"]}
    settings = {
        "BASE": {},
        "LOOPBACK": {},
        "TENANT": {"PORTAIL_TENANT": "contract-tenant"},
        "FILTERED": {"PORTAIL_FILTER_LISTS": "1"},
        "SUBJECT_CLAIM": {"PORTAIL_SUBJECT_CLAIM": "oid"},
        "NO_LEEWAY": {"PORTAIL_LEEWAY": "0"},
        "KEY_RULES": {"PORTAIL_JWKS": text["rules"]},
        "KEYLESS": {"PORTAIL_JWKS": text["refused"]},
        "FORWARDED": {"PORTAIL_TRANSPORT": "forwarded"},
    }
    return {name: Server(name, arguments.wasmtime, arguments.component, common | changed,
                         f"{store}::{arguments.mount}", folder)
            for name, changed in settings.items()}


def run_suite(arguments, servers, folder, store, extra):
    environment = dict(os.environ)
    environment |= {f"PORTAIL_CONTRACT_{name}_URL": server.url for name, server in servers.items()}
    environment |= {
        "PORTAIL_CONTRACT_KEYS": str(folder / "private.json"),
        "PORTAIL_CONTRACT_ISSUER": ISSUER,
        "PORTAIL_CONTRACT_AUDIENCE": AUDIENCES[0],
        "PORTAIL_CONTRACT_SECOND_AUDIENCE": AUDIENCES[1],
        "PORTAIL_CONTRACT_IMPORT": f"{shlex.quote(arguments.portail)} import --store {shlex.quote(f'dir:{store}')}",
        "PORTAIL_CONTRACT_ALLOWED_ORIGIN": ORIGIN,
        "PORTAIL_CONTRACT_ALLOWED_DOMAIN": DOMAIN,
        "PORTAIL_CONTRACT_MAY_PRUNE": "1",
        "PORTAIL_CONTRACT_HOST_PARSES_HTTP": "1",
    }
    return subprocess.run([arguments.suite, *extra], env=environment, stdin=subprocess.DEVNULL).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program, which imports")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--wasmtime", required=True)
    parser.add_argument("--component", required=True)
    parser.add_argument("--mount", default="/data", help="where the component, or what it is composed with, sees the store")
    parser.add_argument("--runs", type=int, default=2, help="how often on the same store (2)")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite: --gtest_filter=…
    for needed in (arguments.wasmtime, arguments.component):
        if not os.path.exists(needed):
            print(f"skipped: {needed} is not there; `tools/dev edge` makes it")
            return SKIPPED

    failures = []
    with tempfile.TemporaryDirectory(prefix="portail-edge-") as name:
        folder = pathlib.Path(name)
        store = folder / "store"
        make_keys(arguments.portail, arguments.suite, folder)
        empty = folder / "empty.json"
        empty.write_text("{}")
        subprocess.run([arguments.portail, "import", "--store", f"dir:{store}", empty], check=True)
        servers = start_servers(arguments, folder, store)
        try:
            for server in servers.values():
                server.wait_for_address()
                expected = 503 if server.name == "KEYLESS" else 200
                if (status := server.readiness()) != expected:
                    raise RuntimeError(f"{server.name} is {status}:\n{server.log_path.read_text()}")
            for run in range(1, arguments.runs + 1):
                print(f"contract: run {run} of {arguments.runs} on {servers['BASE'].url}", flush=True)
                if run_suite(arguments, servers, folder, store, extra) != 0:
                    failures.append(f"run {run}")
        except RuntimeError as error:
            failures.append(str(error))
        finally:
            failures += filter(None, [server.stop() for server in servers.values()])
    print(f"contract: {'passed' if not failures else 'FAILED: ' + '; '.join(failures)}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
