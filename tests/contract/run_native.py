#!/usr/bin/env python3
"""Runs the contract suite against the native server, twice on one store.

Makes keys, a certificate and a store (LMDB, a folder of files, or a Valkey or PostgreSQL server of its own) in a temporary folder,
starts one server for each setting that the contract requires, each on a free port over the same store, waits until they
answer, runs the suite, and stops them by SIGTERM.
Exit status 0 when both runs passed and every server ended with 0. Python's standard library only.
"""

import argparse
import contextlib
import http.client
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from suite import AUDIENCES, DOMAIN, ISSUER, ORIGIN, make_certificate, make_keys, run_suite, verdict

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "native"))
from support.postgres import Postgres  # noqa: E402
from support.valkey import Valkey  # noqa: E402, beside the other tests' helpers

TIMEOUT = 120  # seconds; long enough for sanitizers
# Stores with a server, which is started for the test and accepts the connection pools of all portals.
ENGINES = {"redis": Valkey, "postgres": lambda: Postgres("max_connections=400")}


class Server:
    """One `portail serve`; its address is read from its first lines."""

    def __init__(self, name, portail, arguments, environment, folder):
        self.name = name
        self.log_path = folder / f"{name}.log"
        self.log = open(self.log_path, "w")
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PORTAIL_")}
        self.process = subprocess.Popen(
            [portail, "serve", *arguments], env=clean | environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.url = None

    def wait_for_address(self):
        for line in self.process.stdout:
            found = re.search(r"listening on (https?://\S+)", line)
            if found:
                self.url = found.group(1).rstrip("/")
                threading.Thread(target=self.process.stdout.read, daemon=True).start()  # keeps the pipe empty
                return
        raise RuntimeError(f"{self.name} ended before it listened:\n{self.log_path.read_text()}")

    def wait_until_answering(self, expected):
        """Polls /health/ready until it answers `expected` (503 if the key set cannot be used)."""
        scheme, authority = self.url.split("://")
        trusting = ssl._create_unverified_context()
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            connection = (http.client.HTTPSConnection(authority, context=trusting, timeout=TIMEOUT)
                          if scheme == "https" else http.client.HTTPConnection(authority, timeout=TIMEOUT))
            try:
                connection.request("GET", "/health/ready", headers={"Connection": "close"})
                if connection.getresponse().status == expected:
                    return
            except OSError:
                if self.process.poll() is not None:
                    break
            finally:
                connection.close()
        raise RuntimeError(f"{self.name} is not ready:\n{self.log_path.read_text()}")

    def stop(self):
        """Sends SIGTERM and returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.log.close()
        return status


def stop_servers(servers):
    """Stops the servers. Returns a failure for each exit status other than 0."""
    ended = [(server, server.stop()) for server in servers]
    return [f"{server.name} ended with {status}:\n{server.log_path.read_text()[-2000:]}" for server, status in ended if status != 0]


def start_servers(portail, folder, store):
    # No load shedding: the expectations must not depend on the machine's speed.
    common = ["--store", store, "--create", "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--queue-timeout", "0"]
    for audience in AUDIENCES:
        common += ["--audience", audience]
    common += ["--allow-origin", ORIGIN, "--allow-origin", f"https://*.{DOMAIN}"]
    tls = ["--tls-cert", str(folder / "tls.crt"), "--tls-key", str(folder / "tls.key")]
    keys = ["--jwks", str(folder / "public.json")]
    settings = {
        "BASE": (tls + keys, {}),
        "TENANT": (tls + keys, {"PORTAIL_TENANT": "contract-tenant"}),
        "FILTERED": (tls + keys, {"PORTAIL_FILTER_LISTS": "1"}),
        "SUBJECT_CLAIM": (tls + keys, {"PORTAIL_SUBJECT_CLAIM": "oid"}),
        "NO_LEEWAY": (tls + keys + ["--leeway", "0"], {}),
        "KEY_RULES": (tls + ["--jwks", str(folder / "rules.json")], {}),
        "KEYLESS": (tls + ["--jwks", str(folder / "refused.json")], {}),
        "FORWARDED": (keys + ["--transport", "forwarded", "--trusted-proxy", "127.0.0.1/32"], {}),
        "FORWARDED_UNTRUSTED": (keys + ["--transport", "forwarded", "--trusted-proxy", "192.0.2.0/24"], {}),
        "LOOPBACK": (keys + ["--transport", "loopback", "--insecure-http"], {}),
    }
    return {name: Server(name, portail, common + arguments, environment, folder)
            for name, (arguments, environment) in settings.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--runs", type=int, default=2, help="how often on the same store (2)")
    parser.add_argument("--scheme", default="lmdb", choices=["lmdb", "dir", "redis", "postgres"], help="what kind of store (lmdb)")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite: --gtest_filter=…

    if record := os.environ.get("PORTAIL_CONTRACT_RECORD"):
        pathlib.Path(record).parent.mkdir(exist_ok=True)
        pathlib.Path(record).unlink(missing_ok=True)
    failures = []
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="portail-contract-")))
        engine = ENGINES.get(arguments.scheme)
        store = ending.enter_context(engine()).url if engine else f"{arguments.scheme}:{folder / 'store'}"
        make_keys(arguments.portail, arguments.suite, folder)
        make_certificate(folder)
        servers = start_servers(arguments.portail, folder, store)
        try:
            for server in servers.values():
                server.wait_for_address()
                server.wait_until_answering(503 if server.name == "KEYLESS" else 200)
            urls = {name: server.url for name, server in servers.items()}
            failures += run_suite(arguments.suite, folder, urls | {"DIRECT": urls["BASE"]},
                                  [arguments.portail, "import", "--store", store], arguments.runs, extra,
                                  ca=str(folder / "tls.crt"))
        except RuntimeError as error:
            failures.append(str(error))
        finally:
            failures += stop_servers(servers.values())
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
