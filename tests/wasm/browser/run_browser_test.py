#!/usr/bin/env python3
"""Assembles the browser portal in a temporary folder and runs its tests in Chromium.

    run_browser_test.py --portail PROGRAM --tarball FILE [--screenshot FILE.png]

Python's standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needed import missing  # noqa: E402

TREE = pathlib.Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True)
    parser.add_argument("--tarball", required=True)
    parser.add_argument("--screenshot", type=os.path.abspath, help="where to keep a picture of the page")
    arguments = parser.parse_args()
    if missing(arguments.portail, arguments.tarball, TREE / "build/javascript-hosts/node_modules", "/usr/bin/chromium",
               made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-site-") as site:
        subprocess.run([TREE / "wasm/browser/assemble", arguments.portail, arguments.tarball, site], check=True)
        environment = os.environ | {"PORTAIL_NATIVE": os.path.abspath(arguments.portail), "PORTAIL_SITE": site,
                                    "PORTAIL_SCREENSHOT": arguments.screenshot or ""}
        return subprocess.run(["node", "--test", pathlib.Path(__file__).parent / "browser_test.mjs"], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
