#!/usr/bin/env python3
"""Checks by strace that a component reads at most three files of its folder for the page of ten mail objects.

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
from serving import Serving  # noqa: E402

SKIPPED = 77
REQUESTS = 10
MAX_FILES = 3
ISSUER, AUDIENCE, SUBJECT = "https://reads.invalid", "portail", "sub-client-1"
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def traced_opens(arguments, folder, keys, token, reuse):
    """Returns the names of the store's files in the order of their opening, for all requests to one host."""
    trace = folder / f"trace-{reuse}"
    settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback", "PORTAIL_JWKS": keys}
    command = ["strace", "-f", "-q", "-o", trace, "-e", "trace=openat,openat2", arguments.wasmtime, "serve", "-S", "cli,p3",
               "--addr", "127.0.0.1:0", "--max-instance-reuse-count", str(reuse), "--dir", f"{folder}/store::/data",
               *(part for name, value in settings.items() for part in ("--env", f"{name}={value}")), arguments.component]
    with Serving(command, folder / f"log-{reuse}") as server:
        for _ in range(REQUESTS):
            status, _, body = server.ask("/api/app/objet-courrier", {"Authorization": f"Bearer {token}"})
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
        run(arguments.portail, "import", "--store", f"dir:{folder}/store", FIXTURES)
        run(arguments.portail, "keys", "make", "--alg", "EdDSA", "--output", folder / "private.json")
        run(arguments.portail, "keys", "public", "--input", folder / "private.json", "--output", folder / "public.json")
        token = run(arguments.portail, "token", "--keys", folder / "private.json", "--issuer", ISSUER, "--audience",
                    AUDIENCE, "--subject", SUBJECT).strip()
        keys = (folder / "public.json").read_text()
        failed = False
        for reuse in (REQUESTS, 1):
            names = traced_opens(arguments, folder, keys, token, reuse)
            print(f"{REQUESTS} pages, an instance for {reuse}: {len(names)} files opened: {' '.join(names)}")
            # Zero means that the trace was not recorded.
            failed |= not 1 <= len(names) <= MAX_FILES * REQUESTS
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
