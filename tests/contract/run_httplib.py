#!/usr/bin/env python3
"""Runs the contract suite against the server of native/examples/httplib: one process for each setting of the suite, over one store of
files. Cases that only a stricter HTTP parser can pass are left out: they are in httplib_exceptions.txt, with cpp-httplib's behaviour.
Python's standard library only.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from suite import make_certificate, make_keys, make_store, portal_settings, run_suite, verdict

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from serving import Serving  # noqa: E402

WITH_TLS = {"BASE", "TENANT", "FILTERED", "SUBJECT_CLAIM", "NO_LEEWAY", "KEY_RULES", "KEYLESS", "DIRECT"}


class Server(Serving):
    patience = 120  # seconds
    stop_signal = signal.SIGTERM


def exceptions(suite):
    """Returns the names of the cases that are left out. Each must be a case of the suite."""
    lines = (HERE / "httplib_exceptions.txt").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[0] for line in lines if line and not line.startswith("#")]
    group, cases = "", set()
    for line in subprocess.run([suite, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout.splitlines():
        if line.startswith(" "):
            cases.add(group + line.strip())
        else:
            group = line
    if unknown := sorted(set(names) - cases):
        raise SystemExit(f"httplib_exceptions.txt: no case of the suite: {', '.join(unknown)}")
    return names


def server_settings(folder):
    """Returns the settings of each server, as its variables."""
    changed = {}
    for name, settings in portal_settings(folder).items():
        keys = folder / f"{name}.json"
        keys.write_text(settings["PORTAIL_JWKS"])
        settings |= {"PORTAIL_STORE": f"dir:{folder / 'store'}", "PORTAIL_JWKS": str(keys)}
        settings["PORTAIL_ALLOW_ORIGIN"] = settings.pop("PORTAIL_ALLOW_ORIGINS")
        if name in WITH_TLS:
            settings |= {"PORTAIL_TRANSPORT": "direct", "PORTAIL_TLS_CERT": str(folder / "tls.crt"), "PORTAIL_TLS_KEY": str(folder / "tls.key")}
        if name == "FORWARDED":
            settings["PORTAIL_TRUSTED_PROXY"] = "127.0.0.1"
        changed[name] = settings
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program, which imports")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--server", required=True, help="the program of native/examples/httplib")
    arguments, extra = parser.parse_known_args()  # the rest goes to the suite

    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="portail-httplib-")))
        make_keys(arguments.portail, arguments.suite, folder)
        make_certificate(folder)
        store = make_store(arguments.portail, folder)
        servers = {name: ending.enter_context(Server([arguments.server], folder / f"{name}.log", os.environ | settings))
                   for name, settings in server_settings(folder).items()}
        failures = run_suite(arguments.suite, folder, {name: server.url for name, server in servers.items()},
                             [arguments.portail, "import", "--store", f"dir:{store}"], 1,
                             extra or ["--gtest_filter=-" + ":".join(exceptions(arguments.suite))], ca=str(folder / "tls.crt"))
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
