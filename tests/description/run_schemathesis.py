#!/usr/bin/env python3
"""Tests a host against the interface's description by Schemathesis: every operation, every check, in the order of one seed.

Serves the sample portal, natively or from a component under `wasmtime serve`, and asks as a client who may do
everything. What is left out of the checks, and why, is in schemathesis.toml. Exit status 0 where nothing is found.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402

ISSUER, AUDIENCE = "https://issuer.test", "portail"
CLIENT = "sub-client-1"  # of the bundles that schemathesis.toml names
PERMISSIONS = ("PortailClients.Dashboard.Host", "PortailClients.ObjetsCourrier.Update", "PortailClients.Liasses.VoirPieceDerogee")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def command_of(arguments, store, keys):
    settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback", "PORTAIL_JWKS": keys.read_text()}
    if not arguments.component:
        return [arguments.portail, "serve", "--listen", "127.0.0.1:0", "--store", f"dir:{store}", "--insecure-http", "--no-access-log",
                "--queue-timeout", "0"], settings
    variables = [part for name, value in settings.items() for part in ("--env", f"{name}={value}")]
    return [arguments.wasmtime, "serve", "-S", "cli,p3,config", "--addr", "127.0.0.1:0", "--dir", f"{store}::/data", *variables,
            arguments.component], {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program, which imports, makes the token, and serves without --component")
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--wasmtime")
    parser.add_argument("--component")
    arguments = parser.parse_args()
    if missing(*filter(None, (arguments.portail, arguments.schemathesis, arguments.wasmtime, arguments.component)), made_by="test"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-description-") as name:
        folder = pathlib.Path(name)
        private, public, store = folder / "keys.json", folder / "public.json", folder / "store"
        run(arguments.portail, "keys", "make", "--output", private)
        run(arguments.portail, "keys", "public", "--input", private, "--output", public)
        run(arguments.portail, "import", "--store", f"dir:{store}", ROOT / "fixtures/portail.json")
        token = run(arguments.portail, "token", "--keys", private, "--issuer", ISSUER, "--audience", AUDIENCE, "--subject", CLIENT,
                    "--lifetime", "7200", *(part for permission in PERMISSIONS for part in ("--permission", permission))).strip()
        command, settings = command_of(arguments, store, public)
        with Serving(command, folder / "log", {**os.environ, **settings}) as server:
            return subprocess.run([arguments.schemathesis, "--config-file", HERE / "schemathesis.toml", "run", ROOT / "core/api/documents/open_api.json",
                                   "--url", f"http://{server.address}", "--header", f"Authorization: Bearer {token}", "--continue-on-failure",
                                   "--no-color"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
