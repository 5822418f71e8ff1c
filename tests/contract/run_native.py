#!/usr/bin/env python3
"""Runs the contract suite against the native server, twice on one store.

Makes keys, a certificate and a store (LMDB, a folder of files, or a Valkey or PostgreSQL server of its own) in a temporary folder,
starts one server for each setting that the contract requires, each on a free port over the same store, waits until they
answer, runs the suite, and stops them by SIGTERM.
Exit status 0 when both runs passed and every server ended with 0. Python's standard library only.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import sys
import tempfile

from suite import AUDIENCES, DOMAIN, ISSUER, ORIGIN, make_certificate, make_keys, run_suite, verdict

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "native")]
from key_provider import KeyProvider  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402
from support.postgres import Postgres  # noqa: E402
from support.valkey import Valkey  # noqa: E402
from waiting import until  # noqa: E402

# Stores with a server, which is started for the test and accepts the connection pools of all portals.
ENGINES = {"redis": Valkey, "postgres": lambda: Postgres("max_connections=400")}


class Server(Serving):
    """One `portail serve`."""

    patience = 120  # seconds; long enough for sanitizers
    stop_signal = signal.SIGTERM

    def __init__(self, name, portail, arguments, environment, folder):
        self.name = name
        super().__init__([portail, "serve", *arguments], folder / f"{name}.log", clean_environment() | environment)

    def wait_until_answering(self, expected):
        """Polls /health/ready until it answers `expected` (503 if the key set cannot be used)."""
        def answers():
            try:
                return self.ask("/health/ready")[0] == expected
            except OSError as error:
                if self.process.poll() is not None:
                    raise RuntimeError(f"{self.name} ended:\n{self.output()}") from error
                return False

        try:
            until(answers, f"{self.name} to be ready", self.patience)
        except AssertionError as error:
            raise RuntimeError(f"{error}:\n{self.output()}") from error


def stop_servers(servers):
    """Stops the servers. Returns a failure for each exit status other than 0."""
    for server in servers:
        server.stop()
    return [f"{server.name} ended with {server.process.returncode}:\n{server.output()[-2000:]}" for server in servers
            if server.process.returncode != 0]


def start_servers(portail, folder, store, provider=None):
    """With a provider, the servers fetch their key sets from it."""
    def keys_of(file):
        if not provider:
            return ["--jwks", str(folder / file)]
        provider.documents[f"/{file}"] = (folder / file).read_bytes()
        return ["--jwks", f"{provider.url}/{file}", "--identity-ca", str(folder / "tls.crt")]

    # No load shedding: the expectations must not depend on the machine's speed.
    common = ["--store", store, "--create", "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--queue-timeout", "0"]
    for audience in AUDIENCES:
        common += ["--audience", audience]
    common += ["--allow-origin", ORIGIN, "--allow-origin", f"https://*.{DOMAIN}"]
    tls = ["--tls-cert", str(folder / "tls.crt"), "--tls-key", str(folder / "tls.key")]
    keys = keys_of("public.json")
    settings = {
        "BASE": (tls + keys, {}),
        "TENANT": (tls + keys, {"PORTAIL_TENANT": "contract-tenant"}),
        "FILTERED": (tls + keys, {"PORTAIL_FILTER_LISTS": "1"}),
        "SUBJECT_CLAIM": (tls + keys, {"PORTAIL_SUBJECT_CLAIM": "oid"}),
        "NO_LEEWAY": (tls + keys + ["--leeway", "0"], {}),
        "KEY_RULES": (tls + keys_of("rules.json"), {}),
        "KEYLESS": (tls + keys_of("refused.json"), {}),
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
    parser.add_argument("--keys-by-url", action="store_true", help="the servers fetch their keys")
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
        provider = ending.enter_context(KeyProvider(folder / "tls.crt", folder / "tls.key")) if arguments.keys_by_url else None
        servers = start_servers(arguments.portail, folder, store, provider)
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
            failures += stop_servers(list(servers.values()))
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
