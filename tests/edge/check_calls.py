#!/usr/bin/env python3
"""How often a component calls its host for one request, and how much it computes: literal bounds for each route.

check_calls.py PORTAIL WASMTIME COMPONENT [--find]. Calls of WASI's functions are counted in wasmtime's own trace, of a
request to an instance that has answered such before, over a store whose files are old; what the component model itself
offers, such as waiting and the ends of streams, is not among them. Computing is wasmtime's fuel: as many requests as
named, one after another, must be answered by an instance with no more than that. Neither depends on the machine. With
--find it prints what there is to be bounded. Python's standard library only.
"""

import http.client
import os
import pathlib
import re
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
REQUESTS = 31  # whose fuel is bounded: most of it is that of the thirty which are not an instance's first
FEWEST = 4  # calls; with less, nothing was seen


class Bounds(NamedTuple):
    calls: int  # for one request, at most
    fuel: int  # in thousands, for REQUESTS


class Route(NamedTuple):
    target: str
    persona: str | None
    status: int
    bounds: dict  # of each component
    headers: dict = {}


def bounds(calls_3, fuel_3, calls_2, fuel_2):
    return {"portail-wasmtime": Bounds(calls_3, fuel_3), "portail-wasmtime-p2": Bounds(calls_2, fuel_2)}


ROUTES = [
    Route("/health/live", None, 200, bounds(7, 900, 13, 900)),
    Route("/health/ready", None, 200, bounds(10, 1_250, 17, 1_150)),
    Route(PAGE, None, 401, bounds(8, 1_200, 14, 1_150)),
    Route("/api/app/nosuch", "client", 404, bounds(8, 1_940, 14, 1_880)),
    Route(PAGE, "client", 200, bounds(12, 3_050, 21, 2_850)),
    Route(PAGE, "client", 304, bounds(13, 3_000, 19, 2_850), {"If-None-Match": "*"}),
    Route(f"{PAGE}?MaxResultCount=40", "client", 200, bounds(12, 3_590, 21, 3_450)),
    Route(f"{PAGE}/list-all", "client", 200, bounds(12, 3_540, 21, 3_460)),
    Route(f"{PAGE}/1", "client", 200, bounds(12, 2_950, 21, 2_800)),
    Route(f"{PAGE}/10/fichier-modele", "client", 200, bounds(15, 9_100, 25, 8_900)),
    Route(BUNDLES, "client", 200, bounds(33, 24_800, 58, 23_700)),
    Route(f"{BUNDLES}/L-2024-0001", "client", 200, bounds(23, 10_400, 37, 10_100)),
    Route(f"{BUNDLES}/dashboard-list", "administrator", 200, bounds(35, 26_200, 62, 25_000)),
    Route(f"{BUNDLES}/dashboard-list", "manager", 200, bounds(1_464, 950_000, 1_482, 950_000)),
    Route(f"{ABP}/application-configuration?includeLocalizationResources=false", "client", 200, bounds(10, 6_100, 17, 6_100)),
    Route(f"{ABP}/application-configuration?includeLocalizationResources=false", None, 200, bounds(7, 4_000, 13, 4_000)),
    Route(f"{ABP}/application-configuration", "client", 200, bounds(10, 17_200, 17, 17_200)),
    Route(f"{ABP}/application-configuration", None, 200, bounds(7, 15_100, 13, 15_000)),
    Route(f"{ABP}/application-localization?onlyDynamics=true", None, 200, bounds(7, 2_500, 13, 2_430)),
    Route(f"{ABP}/application-localization", None, 200, bounds(7, 13_700, 13, 13_700)),
    Route(f"{ABP}/api-definition", None, 200, bounds(7, 31_200, 14, 31_200)),
    Route("/swagger/v1/swagger.json", None, 200, bounds(7, 101_000, 13, 101_000)),
    Route("/swagger/index.html", None, 200, bounds(7, 21_300, 13, 21_300)),
]
# Fuel, in thousands, for the first page of an instance, whose token is signed by EdDSA: the other fuel is spent under HS256,
# whose verifying is a trifle.
FIRST_PAGE = {"portail-wasmtime": 4_500, "portail-wasmtime-p2": 4_500}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Portal:
    def __init__(self, portail, wasmtime, component, folder, algorithm):
        self.wasmtime, self.component, self.folder = wasmtime, component, folder
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

    def serve(self, requests, *flags, log=None):
        # However slow the machine, an instance waits for the next request.
        return Serving([self.wasmtime, "serve", "-S", "cli,p3", *flags, "--max-instance-reuse-count", str(requests),
                        "--idle-instance-timeout", "120s", "--addr", "127.0.0.1:0", "--dir", f"{self.folder}/store::/data",
                        *(part for name, value in self.settings.items() for part in ("--env", f"{name}={value}")),
                        self.component], self.folder / "log", {**os.environ, **({"WASMTIME_LOG": log} if log else {})})

    def ask(self, server, route):
        return server.ask(route.target, {**self.headers[route.persona], **route.headers})[0]

    def calls(self, server, route):
        """The functions that a request calls once its like was answered: of ten, the one with the fewest, since the first few
        read what the others look at, and now and then one draws random bytes for those after it, or starts the clock that
        they wait by."""
        asked = []
        for _ in range(10):
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
                except (OSError, http.client.HTTPException):  # it ends within an answer
                    return False
                time.sleep(pause)
        return True

    def least_fuel(self, route, requests):
        """In thousands, for who changes a bound. With pauses: a host that is not done yet with one request may give the next to
        another instance, and then each takes less."""
        low, high = 0, 1_000_000
        while high - low > 1 + high // 200:
            middle = (low + high) // 2
            enough = self.answers(route, requests, middle * 1000, pause=0.01)
            low, high = (low, middle) if enough else (middle, high)
        return high


def find(quick, signed):
    with quick.serve(10_000, log="trace") as server:
        calls = [len(quick.calls(server, route)) for route in ROUTES]
    for route, count in zip(ROUTES, calls):
        print(f"{route.target} {route.persona} {route.status}: {count} calls, {quick.least_fuel(route, REQUESTS)} thousand", flush=True)
    print(f"first page: {signed.least_fuel(first_page(), 1)} thousand")


def first_page():
    return next(route for route in ROUTES if (route.target, route.status) == (PAGE, 200))


def checks(quick, signed, name):
    with quick.serve(10_000, log="trace") as server:
        for route in ROUTES:
            calls = quick.calls(server, route)
            good = FEWEST <= len(calls) <= route.bounds[name].calls
            yield good, f"{route.target} {route.persona} {route.status}: {len(calls)} calls: {' '.join(calls)}"
    for route in ROUTES:
        most = route.bounds[name].fuel
        good = quick.answers(route, REQUESTS, most * 1000)
        yield good, f"{route.target} {route.persona} {route.status}: {most} thousand units of fuel for {REQUESTS} requests"
    good = signed.answers(first_page(), 1, FIRST_PAGE[name] * 1000)
    yield good, f"the first page: {FIRST_PAGE[name]} thousand units of fuel"


def main():
    portail, wasmtime, component = sys.argv[1:4]
    if missing(portail, wasmtime, component, made_by="edge --test"):
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="portail-calls-") as name:
        folder = pathlib.Path(name)
        run(portail, "import", "--store", f"dir:{folder}/store", FIXTURES)
        quick, signed = (Portal(portail, wasmtime, component, folder, algorithm) for algorithm in ("HS256", "EdDSA"))
        time.sleep(SETTLED)
        if sys.argv[4:] == ["--find"]:
            find(quick, signed)
            return 0
        for good, what in checks(quick, signed, pathlib.Path(component).stem):
            failed |= not good
            print(f"{'ok  ' if good else 'FAIL'} {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
