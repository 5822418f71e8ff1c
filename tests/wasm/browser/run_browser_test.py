#!/usr/bin/env python3
"""Makes the browser portal, and the example, in a temporary folder, and runs their tests in Chromium.

    run_browser_test.py --portail PROGRAM --tarball FILE [--screenshot FILE.png]

Python's standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TREE / "tests/support"), str(TREE / "tests/wasm/hosts")]
from example import install  # noqa: E402
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402


def make_example(portail, tarball, folder):
    """Builds the example by the steps of its README; returns its directory and a client's token."""
    example, store = install("browser", os.path.abspath(tarball), folder), f"dir:{folder}/data"
    portal = Portal(portail, folder, issuer="https://example.invalid")
    portal.make_keys("--alg", "EdDSA", "--kid", "example")
    portal.public.rename(example / "public.json")
    portal.run("import", "--store", store, TREE / "fixtures/portail.json")
    portal.run("export", "--store", store, "--format", "json-lines", "--output", example / "data.jsonl")
    return example, portal.token("sub-client-1")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True)
    parser.add_argument("--tarball", required=True)
    parser.add_argument("--screenshot", type=os.path.abspath, help="where to keep a picture of the page")
    arguments = parser.parse_args()
    if missing(arguments.portail, arguments.tarball, TREE / "build/javascript-hosts/node_modules", "/usr/bin/chromium-headless-shell",
               made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-site-") as name:
        site, made = pathlib.Path(name) / "site", pathlib.Path(name) / "made"
        subprocess.run([TREE / "wasm/hosts/browser/assemble", arguments.portail, arguments.tarball, site], check=True)
        example, token = make_example(arguments.portail, arguments.tarball, made)
        environment = os.environ | {"TEST_NATIVE": os.path.abspath(arguments.portail), "TEST_SITE": str(site),
                                    "TEST_TARBALL": os.path.abspath(arguments.tarball),
                                    "TEST_SCREENSHOT": arguments.screenshot or "",
                                    "TEST_EXAMPLE": str(example), "TEST_EXAMPLE_TOKEN": token}
        tests = [pathlib.Path(__file__).parent / f"{name}_test.mjs" for name in ("browser", "page", "data_set", "update", "example")]
        return subprocess.run(["node", "--test", *tests], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
