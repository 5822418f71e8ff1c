#!/usr/bin/env python3
"""Runs ABP's own clients over the sample portal.

    run_abp.py PORTAIL INSTALLED TEST.mjs

INSTALLED is the directory with the packages of package.json; the tests are copied there, since Node searches packages from
where a script lies. Python's standard library only.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from portal import Portal, clean_environment  # noqa: E402
from serving import Serving  # noqa: E402

CLAIMS = ('preferred_username="alice"', 'given_name="Alice"', 'family_name="Martin"', 'email="alice@exemple.fr"',
          "email_verified=true")
TENANT = "bank"


def main():
    portail, installed, script = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    if missing(portail, installed / "node_modules", made_by="test"):
        return 1

    with tempfile.TemporaryDirectory(prefix="portail-abp-") as name:
        folder = pathlib.Path(name)
        portal, store = Portal(portail, folder), f"dir:{folder / 'store'}"
        portal.make_keys()
        portal.run("import", "--store", store, TREE / "fixtures" / "portail.json")
        tenant = ("--claim", f'tenantid="{TENANT}"')
        claims = [part for claim in CLAIMS for part in ("--claim", claim)]
        command = [portail, "serve", "--listen", "127.0.0.1:0", "--store", store, "--insecure-http", "--no-access-log", "--queue-timeout", "0",
                   "--tenant", TENANT]
        copy = installed / script
        for each in (script, "shown_files.mjs"):
            shutil.copy(HERE / each, installed / each)
        with Serving(command, folder / "log", clean_environment() | portal.settings) as server:
            return subprocess.run(["node", "--test", copy], cwd=installed, env=os.environ | {
                "PORTAIL_URL": server.url,
                "TEST_DOCUMENTS": str(TREE / "docs"),
                "PORTAIL_CLIENT": portal.token("sub-client-1", *tenant),
                "PORTAIL_ADMINISTRATOR": portal.token("sub-administrateur-1", "--role", "administrateur", *tenant, *claims),
            }).returncode


if __name__ == "__main__":
    sys.exit(main())
