#!/usr/bin/env python3
"""How often a component calls its host for one request, and how much it computes: literal bounds for each route.

check_calls.py PORTAIL WASMTIME COMPONENT. Calls of WASI's functions are counted in wasmtime's own trace, of a request to
an instance that has answered before, over a store whose files are old; what the component model itself offers, such as
waiting and the ends of streams, is not among them. Computing is wasmtime's fuel: as many requests as named, one after
another, must be answered by an instance with no more than that. Neither depends on the machine. Python's standard
library only.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402

ISSUER, AUDIENCE, SUBJECT = "https://calls.invalid", "portail", "sub-client-1"
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
SETTLED = 4.5  # seconds after which a file counts as old (core/files/known_values.hpp), and a little more
PAGE = "/api/app/objet-courrier"

# Calls for one request, at most.
MOST_CALLS = {
    "/health/live": 8,
    "/api/app/nosuch": 9,
    PAGE: 13,
    f"{PAGE}?MaxResultCount=40": 13,
    f"{PAGE}/1": 13,
}
# Fuel, in thousands, for so many requests to a new instance.
MOST_FUEL = {
    (PAGE, 1): 4_700,
    (PAGE, 11): 6_500,
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Portal:
    def __init__(self, portail, wasmtime, component, folder):
        self.wasmtime, self.component, self.folder = wasmtime, component, folder
        run(portail, "import", "--store", f"dir:{folder}/store", FIXTURES)
        run(portail, "keys", "make", "--alg", "EdDSA", "--output", folder / "private.json")
        run(portail, "keys", "public", "--input", folder / "private.json", "--output", folder / "public.json")
        token = run(portail, "token", "--keys", folder / "private.json", "--issuer", ISSUER, "--audience", AUDIENCE,
                    "--subject", SUBJECT).strip()
        self.headers = {"Authorization": f"Bearer {token}"}
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback",
                         "PORTAIL_JWKS": (folder / "public.json").read_text()}

    def serve(self, *flags, log=None):
        return Serving([self.wasmtime, "serve", "-S", "cli,p3", *flags, "--addr", "127.0.0.1:0", "--dir", f"{self.folder}/store::/data",
                        *(part for name, value in self.settings.items() for part in ("--env", f"{name}={value}")),
                        self.component], self.folder / "log", {**os.environ, **({"WASMTIME_LOG": log} if log else {})})

    def calls(self, target):
        """The functions that the sixth request calls: by then the files are known, and random bytes are left."""
        with self.serve(log="trace") as server:
            for _ in range(5):
                server.ask(target, self.headers)
            before = len(server.said())
            server.ask(target, self.headers)
        return [name for _, name in re.findall(r'wit-bindgen import\{module="([^"]*)" function="([^"]*)"\}[^\n]*: call\b',
                                               server.said()[before:])]

    def answers(self, target, count, fuel):
        with self.serve("-W", f"fuel={fuel}", "--max-instance-reuse-count", str(count)) as server:
            return all(server.ask(target, self.headers)[0] == 200 for _ in range(count))


def least_fuel(portal, target, count):
    """For who changes a bound."""
    low, high = 0, 100_000
    while high - low > 1 + high // 200:
        middle = (low + high) // 2
        low, high = (low, middle) if portal.answers(target, count, middle * 1000) else (middle, high)
    return high


def main():
    portail, wasmtime, component = sys.argv[1:4]
    if missing(portail, wasmtime, component, made_by="edge --test"):
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="portail-calls-") as name:
        portal = Portal(portail, wasmtime, component, pathlib.Path(name))
        if sys.argv[4:] == ["--find"]:
            for target, count in MOST_FUEL:
                print(f"{target}, {count} requests: {least_fuel(portal, target, count)} thousand units of fuel")
            return 0
        time.sleep(SETTLED)
        for target, most in MOST_CALLS.items():
            calls = portal.calls(target)
            good = 5 <= len(calls) <= most  # fewer would mean that nothing was seen
            failed |= not good
            print(f"{'ok  ' if good else 'FAIL'} {target}: {len(calls)} calls: {' '.join(calls)}")
        for (target, count), most in MOST_FUEL.items():
            good = portal.answers(target, count, most * 1000)
            failed |= not good
            print(f"{'ok  ' if good else 'FAIL'} {target}, {count} requests: {most} thousand units of fuel are enough")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
