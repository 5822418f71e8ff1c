#!/usr/bin/env python3
"""How many files of its folder a component reads for the page of ten mail objects: three at most, which strace counts.

Ten requests to instances that live on, and ten to instances that serve one each. Exit status 77 where strace may not
trace. Python's standard library only.
"""

import argparse
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from needed import missing

SKIPPED = 77
PATIENCE = 60
REQUESTS = 10
MOST_FILES = 3
ISSUER, AUDIENCE, SUBJECT = "https://reads.invalid", "portail", "sub-client-1"
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/portail.json")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def traced_opens(arguments, folder, keys, token, reuse):
    """Names of the store's files in the order of opening, over all requests to one host."""
    trace, log = f"{folder}/trace-{reuse}", f"{folder}/log-{reuse}"
    settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback", "PORTAIL_JWKS": keys}
    with open(log, "wb") as file:
        process = subprocess.Popen(
            ["strace", "-f", "-q", "-o", trace, "-e", "trace=openat,openat2", arguments.wasmtime, "serve", "-S", "cli,p3",
             "--addr", "127.0.0.1:0", "--max-instance-reuse-count", str(reuse), "--dir", f"{folder}/store::/data",
             *(part for name, value in settings.items() for part in ("--env", f"{name}={value}")), arguments.component],
            stdout=file, stderr=file, start_new_session=True)
    try:
        port = listening_port(process, log)
        for _ in range(REQUESTS):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/api/app/objet-courrier", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            if answer.status != 200:
                raise RuntimeError(f"{answer.status} {body}")
    finally:
        # strace itself is deaf to it.
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    with open(trace) as file:
        names = re.findall(r'open(?:at|at2)\(\d+, "([^"]+)"', file.read())
    return [name for name in names if os.path.isfile(f"{folder}/store/{name}")]


def listening_port(process, log):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with open(log) as file:
            if found := re.search(r"Serving HTTP on http://127\.0\.0\.1:(\d+)/?\s", file.read()):
                return int(found[1])
        time.sleep(0.05)
    with open(log) as file:
        raise RuntimeError(f"it does not listen: {file.read()}")


def may_trace():
    try:
        return subprocess.run(["strace", "-q", "-o", "/dev/null", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("component", "portail", "wasmtime"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    if missing(arguments.wasmtime, arguments.component, arguments.portail):
        return 1
    if not may_trace():
        print("skipped: strace is not there, or may not trace")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="portail-reads-") as folder:
        run(arguments.portail, "import", "--store", f"dir:{folder}/store", FIXTURES)
        run(arguments.portail, "keys", "make", "--alg", "EdDSA", "--output", f"{folder}/private.json")
        run(arguments.portail, "keys", "public", "--input", f"{folder}/private.json", "--output", f"{folder}/public.json")
        token = run(arguments.portail, "token", "--keys", f"{folder}/private.json", "--issuer", ISSUER, "--audience",
                    AUDIENCE, "--subject", SUBJECT).strip()
        with open(f"{folder}/public.json") as file:
            keys = file.read()
        failed = False
        for reuse in (REQUESTS, 1):
            names = traced_opens(arguments, folder, keys, token, reuse)
            print(f"{REQUESTS} pages, an instance for {reuse}: {len(names)} files opened: {' '.join(names)}")
            # None at all would mean that nothing was seen.
            failed |= not REQUESTS <= len(names) <= MOST_FILES * REQUESTS
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
