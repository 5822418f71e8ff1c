#!/usr/bin/env python3
"""example.py HOST TARBALL: an example of wasm/examples as a host of the contract suite.

tests/wasm/run_contract.py says what this is given on standard input and what it answers. A copy of the example, with the
package's tarball installed beside it by npm, is started for each portal, all over the folder of files. Python's standard
library only.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
FETCHED = CHECKOUT / "build" / "javascript-hosts"
NPM = "npm@" + re.search(r"npm_version=(\S+)", (CHECKOUT / "tools/lib/npm.sh").read_text())[1]

# The program of each host, and its arguments in the example's folder; {folder} is the store's, {script} server.js or manage.js.
COMMANDS = {
    "node": ["node", "{script}"],
    "deno": [f"{FETCHED}/bin/deno", "run", "--allow-env", "--allow-net=127.0.0.1", "--allow-read", "--allow-write", "{script}"],
    "bun": [f"{FETCHED}/bin/bun", "{script}"],
    "workerd": [f"{FETCHED}/bin/workerd", "serve", "--directory-path", "folder={folder}", "--control-fd=1"],
}
# The examples do not end TLS. They trust the forwarding proxy if they are configured for one.
SKIPPED_FEATURES = {"DIRECT", "FORWARDED_UNTRUSTED"}
ACCEPTS_ANY_METHOD = {"bun", "workerd"}


def plain_environment(folder):
    """Returns an environment with only PATH of the caller, in which no host checks for updates."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}


def install(name, tarball, folder):
    """Installs the package into a copy of the example; returns its directory."""
    example = folder / name
    shutil.copytree(CHECKOUT / "wasm" / "examples" / name, example, ignore=shutil.ignore_patterns("node_modules", "data"))
    environment = plain_environment(folder) | {
        "COREPACK_HOME": str(CHECKOUT / "build" / "corepack"), "COREPACK_ENABLE_NETWORK": "0",
        "npm_config_cache": str(folder / "npm"), "npm_config_update_notifier": "false"}
    subprocess.run(["corepack", NPM, "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball],
                   cwd=example, env=environment, check=True, stdout=subprocess.DEVNULL)
    return example


class Server(Serving):
    """The example with these settings, on a free port: its public interface, or its management interface."""

    stop_signal = signal.SIGTERM

    def __init__(self, name, host, example, settings, store, folder, is_management=False):
        self.name = name
        if is_management:
            self.announcement = self.announcement.replace('"socket":"http"', '"socket":"manage"')
        command = [argument.format(folder=store, script="manage.js" if is_management else "server.js") for argument in COMMANDS[host]]
        if host == "workerd":
            command += ["--socket-addr=manage=127.0.0.1:0", "manage.capnp"] if is_management else ["--socket-addr=http=127.0.0.1:0", "config.capnp"]
        super().__init__(command, folder / f"{name}.log", plain_environment(folder) | {"PORT": "0", "DATA": store} | settings, example)

    def stop_and_check(self):
        """Stops the server. Returns whether it was running, stopped at the signal, and logged no error of the module."""
        running = self.stop()
        good = running and self.process.returncode != -signal.SIGKILL and "RuntimeError" not in self.output()
        if not good:
            print(f"{self.name}:\n{self.output()[-2000:]}", file=sys.stderr)
        return good


def main():
    host, tarball = sys.argv[1], os.path.abspath(sys.argv[2])
    if missing(COMMANDS[host][0], tarball, made_by="wasm"):
        return 1
    setup = json.loads(sys.stdin.readline())
    servers = {}
    with tempfile.TemporaryDirectory(prefix="portail-host-") as name:
        folder = pathlib.Path(name)
        example = install(host, tarball, folder)
        try:
            for portal, portal_setup in setup["portals"].items():
                if portal not in SKIPPED_FEATURES:
                    servers[portal] = Server(portal, host, example, portal_setup["settings"], setup["folder"], folder)
            for server in servers.values():
                server.wait_for_address()
            urls = {portal: server.url for portal, server in servers.items()}
            print(json.dumps({"portals": urls, "knowsMethods": host in ACCEPTS_ANY_METHOD}), flush=True)
            sys.stdin.read()
        finally:
            well = all([server.stop_and_check() for server in servers.values()])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
