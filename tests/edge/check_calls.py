#!/usr/bin/env python3
"""Checks how often a component calls its host for one request, and how much it computes: at most what tests/costs.json records for each
route, and what a change may add (tests/support/costs.py).

check_calls.py PORTAIL WASMTIME COMPONENT [--mount FOLDER] [--write]

Calls of WASI's functions are counted in wasmtime's trace of a request. The instance has answered such a request before. Functions of the component model, such as waits and the ends of streams, are not counted. Computation is
measured by wasmtime's fuel: an instance with that much fuel must answer REQUESTS sequential requests. Neither depends on the machine.
A component that is composed with a test host is measured together with it, which calls WASI for each value. --write records the costs
of the component's routes. Python's standard library only.
"""

import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from costs import MORE_CALLS, MORE_FUEL, record, recorded  # noqa: E402
from needed import missing  # noqa: E402
from portal import Portal as Native  # noqa: E402
from serving import Wasmtime  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
PERSONAS = {
    "client": ("sub-client-1",),
    "manager": ("sub-gestionnaire-1", "--role", "gestionnaire"),
    "administrator": ("sub-administrateur-1", "--role", "administrateur"),
}
PAGE, BUNDLES, ABP = "/api/app/objet-courrier", "/api/app/liasse", "/api/abp"
REQUESTS = 31  # whose fuel is recorded, in thousands; most of it is that of the requests after the first
MIN_CALLS = 4  # with fewer, the trace was not recorded
ATTEMPTS = 10  # to count the calls of a request; four times as many if they exceed the maximum
# What wasmtime traces: the host's side of WASI only. With its compiler's part, the compilation of a component takes minutes.
TRACE = "wasmtime_wasi=trace"
CONFIGURATION = '{"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}'


class Route(NamedTuple):
    target: str
    persona: str | None
    status: int
    headers: dict = {}
    method: str = "GET"
    body: str | None = None

    def __str__(self):
        caller = f"by {self.persona}" if self.persona else "without a token"
        return f"{self.method} {self.target} {caller}: {self.status}"


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
# Sent after the others, since they move the revision of the store.
WRITES = [
    Route(f"{PAGE}/1", "client", 403, JSON, "PUT", CONFIGURATION),
    Route(f"{PAGE}/1", "administrator", 400, JSON, "PUT", "{}"),
    Route(f"{PAGE}/1", "administrator", 412, JSON | {"If-Match": '"another"'}, "PUT", CONFIGURATION),
    Route(f"{PAGE}/1", "administrator", 200, JSON, "PUT", CONFIGURATION),
]
# The first page of an instance, with a token signed by EdDSA. All other requests use HS256, whose verification is cheap.
FIRST_PAGE = Route(PAGE, "client", 200)


class Portal:
    def __init__(self, options, folder, algorithm):
        self.options, self.folder = options, folder
        keys = folder / algorithm
        keys.mkdir()
        native = Native(options.portail, keys)
        native.make_keys("--alg", algorithm)
        self.headers = {None: {}} | {persona: native.bearer(*subject) for persona, subject in PERSONAS.items()}
        self.settings = native.settings

    @contextlib.contextmanager
    def serve(self, requests, *flags, log=None):
        """Runs a host. The idle timeout is long enough for slow machines; at the end the host is killed."""
        server = Wasmtime(self.options.wasmtime, self.options.component, self.folder / "log", "-S", "config", *flags,
                          "--max-instance-reuse-count", str(requests), "--idle-instance-timeout", "120s",
                          "--dir", f"{self.folder}/store::{self.options.mount}", settings=self.settings,
                          environment={**os.environ, **({"WASMTIME_LOG": log} if log else {})})
        try:
            server.wait_for_address()
            yield server
        finally:
            server.stop(signal.SIGKILL)

    def ask(self, server, route):
        """Returns the status. Raises ValueError if JSON or a page is truncated: a host may complete a body that its component did not."""
        status, headers, body = server.ask(route.target, {**self.headers[route.persona], **route.headers}, route.method, route.body)
        if body and headers.get_content_type() == "application/json":
            json.loads(body)
        if body and headers.get_content_type() == "text/html" and not body.endswith(b"</html>\n"):
            raise ValueError("a page breaks off")
        return status

    def calls(self, server, route, maximum):
        """Returns the functions that a request calls after such requests were answered: the fewest of several attempts. The first
        ones fill caches, some refill the pool of random bytes or start the clock, and a host that has not finished one request
        passes the next to a new instance. So if all exceed `maximum`, more attempts follow, with pauses."""
        attempts = []
        while len(attempts) < ATTEMPTS or (len(attempts) < 4 * ATTEMPTS and len(min(attempts, key=len)) > maximum):
            time.sleep(0 if len(attempts) < ATTEMPTS else 0.05)
            before = len(server.output())
            self.ask(server, route)
            attempts.append(re.findall(r'wit-bindgen import\{module="[^"]*" function="([^"]*)"\}[^\n]*: call\b',
                                    server.output()[before:]))
        return min(attempts, key=len)

    def answers(self, route, requests, fuel, pause=0):
        with self.serve(requests, "-W", f"fuel={fuel}") as server:
            for _ in range(requests):
                try:
                    if self.ask(server, route) != route.status:
                        return False
                except (OSError, ValueError, http.client.HTTPException):  # the fuel is exhausted within an answer
                    return False
                time.sleep(pause)
        return True

    def min_fuel(self, route, requests):
        """Returns the minimum fuel in thousands, at most 2 % too high. With pauses: a host that has not finished one request may pass
        the next to another instance, and then each needs less."""
        def is_enough(fuel):
            return self.answers(route, requests, fuel * 1000, pause=0.01)
        low, high = 0, 1000
        while not is_enough(high):
            low, high = high, high * 2
        while high - low > high // 50:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return -(-high // 10) * 10


def recorded_routes(costs):
    """The routes of costs.json for a component, in the order in which they are measured: those that write are last."""
    unknown = costs.keys() - {str(route) for route in [*ROUTES, *WRITES]} - {"the first page"}
    if unknown:
        raise SystemExit(f"costs.json has unknown routes: {' '.join(sorted(unknown))}")
    return [[route for route in routes if str(route) in costs] for routes in (ROUTES, WRITES)]


def measure(hs256, eddsa, costs):
    """Returns the costs of the same routes."""
    found = {}
    for routes in recorded_routes(costs):
        with hs256.serve(10_000, log=TRACE) as server:
            calls = [len(hs256.calls(server, route, 10_000)) for route in routes]
        for route, count in zip(routes, calls):
            found[str(route)] = [count, hs256.min_fuel(route, REQUESTS)]
            print(route, found[str(route)], flush=True)
        if "the first page" not in found:  # before the writes
            found["the first page"] = eddsa.min_fuel(FIRST_PAGE, 1)
    return {route: found[route] for route in costs}


def checks(hs256, eddsa, costs):
    reads, writes = recorded_routes(costs)
    for routes in (reads, writes):
        with hs256.serve(10_000, log=TRACE) as server:
            for route in routes:
                maximum = costs[str(route)][0] + MORE_CALLS
                calls = hs256.calls(server, route, maximum)
                yield MIN_CALLS <= len(calls) <= maximum, f"{route}: {len(calls)} calls, at most {maximum}: {' '.join(calls[:100])}"
        for route in routes:
            maximum = round(costs[str(route)][1] * MORE_FUEL)
            good = hs256.answers(route, REQUESTS, maximum * 1000)
            yield good, f"{route}: {maximum} thousand units of fuel for {REQUESTS} requests"
        if routes is reads:
            maximum = round(costs["the first page"] * MORE_FUEL)
            yield eddsa.answers(FIRST_PAGE, 1, maximum * 1000), f"the first page: {maximum} thousand units of fuel"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("portail", help="the native program")
    parser.add_argument("wasmtime")
    parser.add_argument("component")
    parser.add_argument("--mount", default="/data", help="the path of the store inside the component or its composed host")
    parser.add_argument("--write", action="store_true", help="record the costs")
    options = parser.parse_args()
    if missing(options.portail, options.wasmtime, options.component, made_by="edge --test"):
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="portail-calls-") as name:
        folder = pathlib.Path(name)
        Native(options.portail, folder).run("import", "--store", f"dir:{folder}/store", FIXTURES)
        hs256, eddsa = (Portal(options, folder, algorithm) for algorithm in ("HS256", "EdDSA"))
        component = pathlib.Path(options.component).stem
        requests = recorded("requests")
        costs = requests[component]
        if options.write:
            record("requests", requests | {component: measure(hs256, eddsa, costs)})
            return 0
        for good, what in checks(hs256, eddsa, costs):
            failed |= not good
            print(f"{'ok  ' if good else 'FAIL'} {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
