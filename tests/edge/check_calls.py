#!/usr/bin/env python3
"""How often a component calls its host for one request, and how much it computes: literal bounds for each route.

check_calls.py PORTAIL WASMTIME COMPONENT [--mount FOLDER] [--find]. Calls of WASI's functions are counted in wasmtime's own
trace, of a request to an instance that has answered such before, over a store whose files are old; what the component
model itself offers, such as waiting and the ends of streams, is not among them. Computing is wasmtime's fuel: as many
requests as named, one after another, must be answered by an instance with no more than that. Neither depends on the
machine. A component that is composed with what stands in for its host's store is bounded together with that, which calls
WASI for each value. bounds.json has, for each component, what is bounded of it; with --find all that there is to be bounded
is printed in that form. Python's standard library only.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402

ISSUER, AUDIENCE = "https://calls.invalid", "portail"
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
SETTLED = 4.5  # seconds after which a file counts as old (core/files/known_values.hpp), and a little more
PERSONAS = {
    "client": ("--subject", "sub-client-1"),
    "manager": ("--subject", "sub-gestionnaire-1", "--role", "gestionnaire"),
    "administrator": ("--subject", "sub-administrateur-1", "--role", "administrateur"),
}
PAGE, BUNDLES, ABP = "/api/app/objet-courrier", "/api/app/liasse", "/api/abp"
REQUESTS = 31  # whose fuel is bounded, in thousands: most of it is that of the thirty which are not an instance's first
FEWEST = 4  # calls; with less, nothing was seen
LOOKS = 10  # at the calls of a request; four times as many where they are too many
CONFIGURATION = '{"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}'
BOUNDS = pathlib.Path(__file__).with_name("bounds.json")


class Route(NamedTuple):
    target: str
    persona: str | None
    status: int
    headers: dict = {}
    method: str = "GET"
    body: str | None = None

    def __str__(self):
        return f"{self.method} {self.target} by {self.persona or 'anybody'}: {self.status}"


ROUTES = [
    Route("/health/live", None, 200),
    Route("/health/ready", None, 200),
    Route(PAGE, None, 401),
    Route("/api/app/nosuch", "client", 404),
    Route(PAGE, "client", 200),
    Route(PAGE, "client", 304, {"If-None-Match": "*"}),
    Route(f"{PAGE}?MaxResultCount=40", "client", 200),
    Route(f"{PAGE}/list-all", "client", 200),
    Route(f"{PAGE}/1", "client", 200),
    Route(f"{PAGE}/10/fichier-modele", "client", 200),
    Route(BUNDLES, "client", 200),
    Route(f"{BUNDLES}/L-2024-0001", "client", 200),
    Route(f"{BUNDLES}/dashboard-list", "administrator", 200),
    Route(f"{BUNDLES}/dashboard-list", "manager", 200),
    Route(f"{ABP}/application-configuration?includeLocalizationResources=false", "client", 200),
    Route(f"{ABP}/application-configuration?includeLocalizationResources=false", None, 200),
    Route(f"{ABP}/application-configuration", "client", 200),
    Route(f"{ABP}/application-configuration", None, 200),
    Route(f"{ABP}/application-localization?onlyDynamics=true", None, 200),
    Route(f"{ABP}/application-localization", None, 200),
    Route(f"{ABP}/api-definition", None, 200),
    Route("/swagger/v1/swagger.json", None, 200),
    Route("/swagger/index.html", None, 200),
]
JSON = {"Content-Type": "application/json"}
# After the others, which are to find the store's files old.
WRITES = [
    Route(f"{PAGE}/1", "client", 403, JSON, "PUT", CONFIGURATION),
    Route(f"{PAGE}/1", "administrator", 400, JSON, "PUT", "{}"),
    Route(f"{PAGE}/1", "administrator", 412, JSON | {"If-Match": '"another"'}, "PUT", CONFIGURATION),
    Route(f"{PAGE}/1", "administrator", 200, JSON, "PUT", CONFIGURATION),
]
# The first page of an instance, whose token is signed by EdDSA: the other fuel is spent under HS256, whose verifying is a
# trifle.
FIRST_PAGE = Route(PAGE, "client", 200)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Portal:
    def __init__(self, options, folder, algorithm):
        self.options, self.folder = options, folder
        portail = options.portail
        private, public = folder / f"{algorithm}-private.json", folder / f"{algorithm}.json"
        run(portail, "keys", "make", "--alg", algorithm, "--output", private)
        if algorithm == "HS256":  # has no public part
            public = private
        else:
            run(portail, "keys", "public", "--input", private, "--output", public)
        self.headers = {None: {}}
        for persona, options in PERSONAS.items():
            token = run(portail, "token", "--keys", private, "--issuer", ISSUER, "--audience", AUDIENCE, *options).strip()
            self.headers[persona] = {"Authorization": f"Bearer {token}"}
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback",
                         "PORTAIL_JWKS": public.read_text()}

    @contextlib.contextmanager
    def serve(self, requests, *flags, log=None):
        """A host. However slow the machine, an instance waits for the next request; at the end nobody waits for an instance."""
        server = Serving([self.options.wasmtime, "serve", "-S", "cli,p3,config", *flags, "--max-instance-reuse-count", str(requests),
                          "--idle-instance-timeout", "120s", "--addr", "127.0.0.1:0",
                          "--dir", f"{self.folder}/store::{self.options.mount}",
                          *(part for name, value in self.settings.items() for part in ("--env", f"{name}={value}")),
                          self.options.component], self.folder / "log", {**os.environ, **({"WASMTIME_LOG": log} if log else {})})
        try:
            server.wait_for_address()
            yield server
        finally:
            server.stop(signal.SIGKILL)

    def ask(self, server, route):
        """The status. A ValueError where JSON or a page breaks off: the host may end a body well that its component never ended."""
        status, headers, body = server.ask(route.target, {**self.headers[route.persona], **route.headers}, route.method, route.body)
        if body and headers.get_content_type() == "application/json":
            json.loads(body)
        if body and headers.get_content_type() == "text/html" and not body.endswith(b"</html>\n"):
            raise ValueError("a page breaks off")
        return status

    def calls(self, server, route, most):
        """The functions that a request calls once its like was answered: the one with the fewest of those looked at, since the
        first few read what the others look at, now and then one draws random bytes for those after it, or starts the
        clock that they wait by, and a host that is not done yet with one request gives the next to a new instance. So where
        all call more than `most`, more are looked at, with pauses."""
        asked = []
        while len(asked) < LOOKS or (len(asked) < 4 * LOOKS and len(min(asked, key=len)) > most):
            time.sleep(0 if len(asked) < LOOKS else 0.05)
            before = len(server.said())
            self.ask(server, route)
            asked.append(re.findall(r'wit-bindgen import\{module="[^"]*" function="([^"]*)"\}[^\n]*: call\b',
                                    server.said()[before:]))
        return min(asked, key=len)

    def answers(self, route, requests, fuel, pause=0):
        with self.serve(requests, "-W", f"fuel={fuel}") as server:
            for _ in range(requests):
                try:
                    if self.ask(server, route) != route.status:
                        return False
                except (OSError, ValueError, http.client.HTTPException):  # it ends within an answer
                    return False
                time.sleep(pause)
        return True

    def least_fuel(self, route, requests):
        """In thousands, and up to a fiftieth more, for who changes a bound. With pauses: a host that is not done yet with one
        request may give the next to another instance, and then each takes less."""
        def is_enough(fuel):
            return self.answers(route, requests, fuel * 1000, pause=0.01)
        low, high = 0, 1000
        while not is_enough(high):
            low, high = high, high * 2
        while high - low > high // 50:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return -(-high // 10) * 10


def find(quick, signed):
    """Prints what bounds.json may say of the component."""
    with quick.serve(10_000, log="trace") as server:
        calls = [len(quick.calls(server, route, 10_000)) for route in ROUTES]
    found = {}
    for routes in (ROUTES, WRITES):
        if routes is WRITES:
            found["the first page"] = signed.least_fuel(FIRST_PAGE, 1)
            with quick.serve(10_000, log="trace") as server:
                calls = [len(quick.calls(server, route, 10_000)) for route in WRITES]
        for route, count in zip(routes, calls):
            found[str(route)] = [count, quick.least_fuel(route, REQUESTS)]
            print(route, found[str(route)], file=sys.stderr, flush=True)
    print(",\n".join(f"    {json.dumps(route)}: {json.dumps(bounds)}" for route, bounds in found.items()))


def checks(quick, signed, bounds):
    known = {str(route) for route in [*ROUTES, *WRITES]} | {"the first page"}
    yield bounds.keys() <= known, f"bounds of what is not asked: {' '.join(bounds.keys() - known)}"
    for routes in ([route for route in ROUTES if str(route) in bounds], WRITES):
        with quick.serve(10_000, log="trace") as server:
            for route in routes:
                calls = quick.calls(server, route, bounds[str(route)][0])
                good = FEWEST <= len(calls) <= bounds[str(route)][0]
                yield good, f"{route}: {len(calls)} calls: {' '.join(calls[:100])}"
        for route in routes:
            most = bounds[str(route)][1]
            good = quick.answers(route, REQUESTS, most * 1000)
            yield good, f"{route}: {most} thousand units of fuel for {REQUESTS} requests"
        if routes is not WRITES:
            most = bounds["the first page"]
            yield signed.answers(FIRST_PAGE, 1, most * 1000), f"the first page: {most} thousand units of fuel"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("portail", help="the native program, which imports")
    parser.add_argument("wasmtime")
    parser.add_argument("component")
    parser.add_argument("--mount", default="/data", help="where the component, or what it is composed with, sees the store")
    parser.add_argument("--find", action="store_true", help="print what there is to be bounded")
    options = parser.parse_args()
    if missing(options.portail, options.wasmtime, options.component, made_by="edge --test"):
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="portail-calls-") as name:
        folder = pathlib.Path(name)
        run(options.portail, "import", "--store", f"dir:{folder}/store", FIXTURES)
        quick, signed = (Portal(options, folder, algorithm) for algorithm in ("HS256", "EdDSA"))
        time.sleep(SETTLED)
        if options.find:
            find(quick, signed)
            return 0
        bounds = json.loads(BOUNDS.read_text())[pathlib.Path(options.component).stem]
        for good, what in checks(quick, signed, bounds):
            failed |= not good
            print(f"{'ok  ' if good else 'FAIL'} {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
