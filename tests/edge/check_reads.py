#!/usr/bin/env python3
"""Checks by strace that a component reads at most three files of its folder for the page of ten mail objects: once in an instance.

Ten requests to one instance, and ten to instances that serve one request each. Exit status 77 if strace cannot trace. Python's
standard library only.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Wasmtime  # noqa: E402

SKIPPED = 77
REQUESTS = 10
MAX_FILES = 3
ATTEMPTS = 10  # a host that has not finished one request may pass the next to a further instance
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"


def traced_opens(arguments, folder, portal, reuse):
    """Returns the names of the store's files in the order of their opening, for all requests to a new host."""
    trace = folder / "trace"
    headers = portal.bearer("sub-client-1")
    with Wasmtime(arguments.wasmtime, arguments.component, folder / "log", "--max-instance-reuse-count", str(reuse),
                  "--dir", f"{folder}/store::/data", settings=portal.settings,
                  tracer=("strace", "-f", "-q", "-o", trace, "-e", "trace=openat,openat2")) as server:
        for _ in range(REQUESTS):
            status, _, body = server.ask("/api/app/objet-courrier", headers)
            if status != 200:
                raise RuntimeError(f"{status} {body}")
    names = re.findall(r'open(?:at|at2)\(\d+, "([^"]+)"', trace.read_text())
    return [name for name in names if (folder / "store" / name).is_file()]


def can_trace():
    try:
        return subprocess.run(["strace", "-q", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("component", "portail", "wasmtime"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    if missing(arguments.wasmtime, arguments.component, arguments.portail, made_by="edge --test"):
        return 1
    if not can_trace():
        print("skipped: strace is not there, or may not trace")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="portail-reads-") as name:
        folder = pathlib.Path(name)
        portal = Portal(arguments.portail, folder)
        portal.run("import", "--store", f"dir:{folder}/store", FIXTURES)
        portal.make_keys("--alg", "EdDSA")
        failed = False
        for reuse in (REQUESTS, 1):
            for _ in range(ATTEMPTS):
                names = traced_opens(arguments, folder, portal, reuse)
                print(f"{REQUESTS} pages, an instance for {reuse}: {len(names)} files opened: {' '.join(names)}")
                # Zero means that the trace was not recorded.
                is_good = 1 <= len(names) <= MAX_FILES * REQUESTS // reuse
                if is_good:
                    break
            failed |= not is_good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
