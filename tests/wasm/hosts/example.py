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
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needed import missing  # noqa: E402

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
FETCHED = CHECKOUT / "build" / "javascript-hosts"
NPM = "npm@" + re.search(r"npm_version=(\S+)", (CHECKOUT / "tools/lib/npm.sh").read_text())[1]
PATIENCE = 60  # seconds

# The program of each host, and its arguments in the example's folder; {folder} is the store's.
COMMANDS = {
    "node": ["node", "server.js"],
    "deno": [f"{FETCHED}/bin/deno", "run", "--allow-env", "--allow-net=127.0.0.1", "--allow-read", "--allow-write", "server.js"],
    "bun": [f"{FETCHED}/bin/bun", "server.js"],
    "workerd": [f"{FETCHED}/bin/workerd", "serve", "--socket-addr", "http=127.0.0.1:0", "--directory-path", "folder={folder}",
                "--control-fd=1", "config.capnp"],
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


class Server:
    """The example with these settings, on a free port."""

    def __init__(self, name, host, example, settings, store, folder):
        self.name = name
        self.log = folder / f"{name}.log"
        command = [argument.format(folder=store) for argument in COMMANDS[host]]
        environment = plain_environment(folder) | {"PORT": "0", "DATA": store} | settings
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(command, cwd=example, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT)

    def url(self):
        deadline = time.monotonic() + PATIENCE
        # workerd prints it in JSON, on its control file.
        while not (found := re.search(r'(?:listening on http://127\.0\.0\.1:|"port":)(\d+)', self.log.read_text())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not listen:\n{self.log.read_text()}")
            time.sleep(0.05)
        return f"http://127.0.0.1:{found[1]}"

    def stop(self):
        """Stops the server. Returns whether it was running, and stopped at the signal."""
        running = self.process.poll() is None
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            running = False
        log_text = self.log.read_text()
        if not running or "RuntimeError" in log_text:
            print(f"{self.name}:\n{log_text[-2000:]}", file=sys.stderr)
            return False
        return True


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
            urls = {portal: server.url() for portal, server in servers.items()}
            print(json.dumps({"portals": urls, "knowsMethods": host in ACCEPTS_ANY_METHOD}), flush=True)
            sys.stdin.read()
        finally:
            well = all([server.stop() for server in servers.values()])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
