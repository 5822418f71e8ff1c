#!/usr/bin/env python3
"""Compares the portal with alternative implementations: the same routes, data and tokens.

    tools/bench/peers.py [--build build] [--rounds 5] [--seconds 1] [--only page bundle] [--peer go] [--portal native]

The peers (tools/bench/peers): Fastify with fast-jwt, Go's net/http with golang-jwt, axum with jsonwebtoken, and a component
in Rust on wasi:http 0.2; with data in memory, a cache of verified tokens, and serializers for their types. The portal: the
native program with LMDB, the npm package in Node with a Map and with a directory, and the components for wasmtime with a
directory. All components are served by the same `wasmtime serve`, with instances that live for 128 requests and with an
instance per request.

First every answer is compared with the portal's: status, JSON and headers must be equal, except tags and correlation ids; and a
request with a received tag gets 304. In each round all are measured in turn with wrk at 16 connections, after a warm-up:
requests per second, median and 99th percentile of the latency, and the server's processor time per request, of all threads. Last
come the memory (VmRSS) after the load, and the time from the start of the process to its first answer. Prints Markdown with
ratios of medians, the first side as 1; absolute numbers, on standard error, apply to this machine only. --record writes the
ratios for docs/explanation/performance.md.
"""

import argparse
import functools
import json
import pathlib
import shutil
import statistics
import sys
import tempfile

import results
from hosts import CONNECTIONS, Host
from server import AUDIENCE, FRAMING, ISSUER, ROOT, make_keys, run

sys.path.insert(0, f"{ROOT}/tests/wasm/hosts")
import example  # noqa: E402

ROUTES = {
    "page": ("client", "/api/app/objet-courrier"),
    "mail-object": ("client", "/api/app/objet-courrier/1"),
    "bundles": ("client", "/api/app/liasse"),
    "bundle": ("client", "/api/app/liasse/L-2024-0003"),
    "dashboard": ("manager", "/api/app/liasse/dashboard-list"),
}
PEERS = {
    "fastify": "Fastify, fast-jwt",
    "go": "Go net/http, golang-jwt",
    "axum": "axum, jsonwebtoken",
    "component": "Rust component, instances reused",
    "component-fresh": "Rust component, an instance a request",
}
PORTALS = {
    "native": "native, LMDB",
    "node-map": "Node, a Map",
    "node-folder": "Node, a folder",
    "wasmtime": "component 0.3, instances reused",
    "wasmtime-fresh": "component 0.3, an instance a request",
    "wasmtime-p2": "component 0.2, instances reused",
    "wasmtime-p2-fresh": "component 0.2, an instance a request",
}
SIDES = PEERS | PORTALS
MEASURES = {"rate": "requests/s", "median": "latency, median", "late": "99th percentile",
            "processor": "processor time for a request"}
OWN = {"etag", "x-correlation-id"}  # each has its own
REUSED, FRESH = 128, 1  # requests that an instance lives for


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, folder, pathlib.Path(options.build).absolute()
        self.portail = f"{self.build}/native/portail"
        self.document = f"{ROOT}/fixtures/portail.json"
        self.keys, token = make_keys(self.portail, folder, "EdDSA")
        self.key_set = pathlib.Path(self.keys).read_text()
        self.tokens = {"client": token, "manager": self.token("sub-gestionnaire-1", "--role", "gestionnaire")}
        self.environment = example.plain_environment(folder)
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback",
                         "PORTAIL_JWKS": self.key_set}

    def token(self, subject, *flags):
        return run(self.portail, "token", "--keys", f"{self.folder}/EdDSA.json", "--issuer", ISSUER, "--audience", AUDIENCE,
                   "--subject", subject, "--lifetime", "86400", *flags).strip()

    def headers(self, persona):
        return {"Authorization": f"Bearer {self.tokens[persona]}"}

    def start_of(self, name):
        """The function that starts this side."""
        kind = name.removesuffix("-fresh")
        reuse = REUSED if kind == name else FRESH
        folder = self.folder / "sides" / name
        folder.mkdir(parents=True)
        match kind:
            case "fastify":
                return self.fastify(folder)
            case "go":
                return self.program(folder, self.built("peers/go/portail-go"))
            case "axum":
                return self.program(folder, self.built("peers/rust/release/portail-axum"))
            case "component":
                settings = {"KEYS": self.key_set, "ISSUER": ISSUER, "AUDIENCE": AUDIENCE}
                return self.served(folder, self.built("peers/rust/portail-component.wasm"), reuse, settings)
            case "native":
                return self.native(folder)
            case "node-map" | "node-folder":
                return self.node(folder, kind)
            case "wasmtime" | "wasmtime-p2":
                self.fill(folder)
                return self.served(folder, self.built(f"wasi/portail-{kind}.wasm"), reuse, self.settings)

    def built(self, name):
        if not (self.build / name).exists():
            sys.exit(f"{self.build / name} is missing; `tools/dev bench peers` builds it")
        return str(self.build / name)

    def fill(self, folder):
        run(self.portail, "import", "--store", f"dir:{folder}", self.document)

    def program(self, folder, *command):
        return functools.partial(Host, [*command, self.document, self.keys, ISSUER, AUDIENCE], folder, self.environment)

    def fastify(self, folder):
        """Its sources beside the packages that its lock file pins."""
        shutil.copytree(f"{ROOT}/tools/bench/peers/fastify", folder, dirs_exist_ok=True)
        (folder / "node_modules").symlink_to(self.built("peers/fastify/node_modules"))
        command = ["node", "server.mjs", self.document, self.keys, ISSUER, AUDIENCE]
        return functools.partial(Host, command, folder, self.environment | {"NODE_ENV": "production"})

    def native(self, folder):
        store = f"lmdb:{folder}"
        run(self.portail, "import", "--store", store, self.document)
        command = [self.portail, "serve", "--store", store, "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--audience",
                   AUDIENCE, "--jwks", self.keys, "--insecure-http", "--transport", "loopback",
                   "--queue-timeout", "0"]  # the others shed nothing either, on a machine that is busy otherwise
        return functools.partial(Host, command, folder, self.environment)

    def node(self, folder, kind):
        tarball = next((str(found) for found in self.build.glob("package/portail-*.tgz")), None)
        if tarball is None:
            sys.exit("the package's tarball is missing; `tools/dev wasm` builds it")
        store = folder / "store"
        self.fill(store)
        server = example.install("node", tarball, folder)
        if kind == "node-map":
            shutil.copy(f"{ROOT}/tools/bench/peers/map_node.mjs", server / "server.js")
            values = folder / "values.jsonl"
            run(self.portail, "export", "--store", f"dir:{store}", "--format", "json-lines", "--output", str(values))
            store = values
        environment = self.environment | self.settings | {"DATA": str(store), "PORT": "0"}
        return functools.partial(Host, ["node", "server.js"], server, environment)

    def served(self, folder, component, reuse, settings):
        """Under wasmtime; the component has the directory as /data."""
        command = [self.built("wasmtime/wasmtime"), "serve", "-S", "cli,p3", "--addr", "127.0.0.1:0",
                   "--max-instance-reuse-count", str(reuse), "--dir", f"{folder}::/data",
                   *(part for name, value in settings.items() for part in ("--env", f"{name}={value}")), component]
        return functools.partial(Host, command, folder, self.environment)

    def compare(self, route, hosts):
        """Ends the program if an answer differs from the portal's."""
        persona, target = ROUTES[route]
        headers = self.headers(persona)
        expected = None
        for name, host in sorted(hosts.items(), key=lambda side: side[0] in PEERS):
            host.get(headers, target)  # the first request for a bundle records a consultation
            answer = host.get(headers, target)
            expected = expected or comparable(answer)
            if differing := difference(comparable(answer), expected):
                sys.exit(f"{target}: {SIDES[name]} answers differently than the portal: {differing}")
            tag = dict((field.lower(), value) for field, value in answer[1])["etag"]
            again = host.get(headers | {"If-None-Match": tag}, target)
            if again[0] != 304 or again[2]:
                sys.exit(f"{target}: {SIDES[name]} answers {again[0]} to its own tag")

    def under_load(self, route, hosts):
        """The medians of Host.sample() for each side."""
        persona, target = ROUTES[route]
        request = self.headers(persona), target
        for host in hosts.values():
            host.measure(CONNECTIONS, self.options.warm_up, *request)
        rounds = [[host.sample(CONNECTIONS, self.options.seconds, *request) for host in hosts.values()]
                  for _ in range(self.options.rounds)]
        medians = ([statistics.median(column) for column in zip(*samples)] for samples in zip(*rounds))
        return {name: dict(zip(MEASURES, values)) for name, values in zip(hosts, medians)}

    def first_answers(self, starts):
        """Milliseconds from the start of the process to the end of its first answer, of each."""
        rounds = [[self.first_answer(start) for start in starts.values()] for _ in range(self.options.starts)]
        return {name: statistics.median(column) for name, column in zip(starts, zip(*rounds))}

    def first_answer(self, start):
        with start() as host:
            return host.first_answer(self.headers("client"))


def comparable(answer):
    status, fields, body = answer
    named = {name.lower(): value for name, value in fields if name.lower() not in FRAMING}
    return {"status": status, "headers": {name: None if name in OWN else value for name, value in named.items()},
            "body": json.loads(body)}


def difference(one, other, path=()):
    """The first difference of two values, or None."""
    if one == other:
        return None
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(filter(None, (difference(one[key], other[key], (*path, key)) for key in one)))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(filter(None, (difference(a, b, (*path, at)) for at, (a, b) in enumerate(zip(one, other)))))
    return f"{'.'.join(map(str, path))}: {one} and {other}"


def measure(options, bench):
    """The measures by route and side, and the memory in MiB and the first answer in milliseconds by side."""
    starts = {name: bench.start_of(name) for name in [*options.peer, *options.portal]}
    hosts, under_load = {}, {}
    try:
        for name, start in starts.items():
            hosts[name] = start()
        for route in options.only:
            bench.compare(route, hosts)
        for route in options.only:
            under_load[route] = bench.under_load(route, hosts)
            for name, sample in under_load[route].items():
                rate, middle, late, processor = sample.values()
                print(f"{route}, {SIDES[name]}: {rate:.0f} requests/s, {middle:.0f} and {late:.0f} us, "
                      f"{processor:.1f} us of processor time", file=sys.stderr, flush=True)
        memory = {name: host.memory() for name, host in hosts.items()}
    finally:
        for host in hosts.values():
            host.__exit__()
    first = bench.first_answers(starts)
    for name in starts:
        print(f"{SIDES[name]}: {memory[name]:.0f} MiB, {first[name]:.0f} ms", file=sys.stderr, flush=True)
    return under_load, memory, first


def ratios(under_load, memory, first):
    """The same as ratios to the first side, by name."""
    one = next(iter(memory))
    return {name: {"label": SIDES[name],
                   "routes": {route: {measure: value / sides[one][measure] for measure, value in sides[name].items()}
                              for route, sides in under_load.items()},
                   "memory": memory[name] / memory[one], "start": first[name] / first[one]}
            for name in memory}


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_tables(sides, options):
    print(f"{next(iter(sides.values()))['label']} as 1; medians of {options.rounds} rounds, in turn, {CONNECTIONS} connections")
    for route in options.only:
        print(f"\n`{ROUTES[route][1]}`\n")
        print_row("", *MEASURES.values())
        print_row(*["---"] * (len(MEASURES) + 1))
        for side in sides.values():
            print_row(side["label"], *(f"{value:.2f}" for value in side["routes"][route].values()))
    print()
    print_row("", "memory after the load", "start to the first answer")
    print_row(*["---"] * 3)
    for side in sides.values():
        print_row(side["label"], f"{side['memory']:.2f}", f"{side['start']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="the build directory")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="of each round")
    parser.add_argument("--warm-up", type=int, default=2, help="seconds under load before the first round of each route")
    parser.add_argument("--starts", type=int, default=5, help="number of starts")
    parser.add_argument("--only", choices=ROUTES, nargs="+", default=list(ROUTES), help="only these routes")
    parser.add_argument("--peer", choices=PEERS, nargs="+", default=list(PEERS), help="only these peers")
    parser.add_argument("--portal", choices=PORTALS, nargs="+", default=list(PORTALS), help="only these portals")
    parser.add_argument("--record", action="store_true", help="write the ratios to tools/bench/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as name:
        sides = ratios(*measure(options, Bench(options, pathlib.Path(name))))
    print_tables(sides, options)
    if options.record:
        results.write("peers", {"rounds": options.rounds, "connections": CONNECTIONS, "sides": sides})


if __name__ == "__main__":
    main()
