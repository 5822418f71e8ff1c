#!/usr/bin/env python3
"""Tests a host against the interface's description by Schemathesis: every operation, every check, in the order of one seed.

Serves the sample portal, natively or from a component under `wasmtime serve`, and asks as a client who may do
everything. What is left out of the checks, and why, is in schemathesis.toml and management.toml. Exit status 0 where nothing is found.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from portal import Portal, clean_environment  # noqa: E402
from serving import Serving, Wasmtime  # noqa: E402

CLIENT = "sub-client-1"  # of the bundles that schemathesis.toml names
PUBLIC = ("core/api/documents/open_api.json", "schemathesis.toml",
          ("PortailClients.Dashboard.Host", "PortailClients.ObjetsCourrier.Update", "PortailClients.Liasses.VoirPieceDerogee"))
MANAGEMENT = ("core/management/open_api.json", "management.toml", ("PortailClients.Administration",))


def serve(arguments, store, settings, log):
    if arguments.component:
        return Wasmtime(arguments.wasmtime, arguments.component, log, "-S", "config", "--dir", f"{store}::/data", settings=settings)
    command = [arguments.portail, "serve", "--listen", "127.0.0.1:0", "--store", f"dir:{store}", "--insecure-http", "--no-access-log",
               "--queue-timeout", "0", *(("--manage-listen", "127.0.0.1:0") if arguments.management else ())]
    return Serving(command, log, clean_environment() | settings)


def url_of(server, arguments):
    if arguments.management and not arguments.component:
        return f"http://127.0.0.1:{server.wait_for(r'the management interface is served.*?(\d+)"}')[1]}"
    return server.url


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program, which imports, makes the token, and serves without --component")
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--wasmtime")
    parser.add_argument("--component")
    parser.add_argument("--management", action="store_true", help="the management interface, of the program or of a management component")
    arguments = parser.parse_args()
    if missing(*filter(None, (arguments.portail, arguments.schemathesis, arguments.wasmtime, arguments.component)), made_by="test"):
        return 1
    description, configuration, permissions = MANAGEMENT if arguments.management else PUBLIC
    with tempfile.TemporaryDirectory(prefix="portail-description-") as name:
        folder = pathlib.Path(name)
        store, portal = folder / "store", Portal(arguments.portail, folder)
        portal.make_keys()
        portal.run("import", "--store", f"dir:{store}", ROOT / "fixtures/portail.json")
        token = portal.token(CLIENT, "--lifetime", "7200", *(part for permission in permissions for part in ("--permission", permission)))
        with serve(arguments, store, portal.settings, folder / "log") as server:
            return subprocess.run([arguments.schemathesis, "--config-file", HERE / configuration, "run", ROOT / description,
                                   "--url", url_of(server, arguments), "--header", f"Authorization: Bearer {token}", "--continue-on-failure",
                                   "--no-color"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
