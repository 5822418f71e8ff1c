#!/usr/bin/env python3
"""Compares the npm package in Node with Fastify and fast-jwt (tools/bench/fastify): the same routes, data and tokens.

    tools/bench/node.py [--build build] [--rounds 5] [--seconds 1] [--only page bundle]

Fastify has its data in memory, a cache of verified tokens, and serializers compiled from schemas. The package has a Map, or a directory.
First every answer is compared with the portal's: status, JSON and headers must be equal, except tags and correlation ids; and a
request with a received tag gets 304. In each round all are measured in turn with wrk at 16 connections, after a warm-up: requests
per second, median and 99th percentile of the latency, and the server's processor time per request, of all threads. Last comes the
memory (VmRSS) after the load. Prints Markdown with ratios of medians, Fastify as 1; absolute numbers, on standard error, apply to
this machine only.
"""

import argparse
import functools
import json
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile

from server import AUDIENCE, FRAMING, ISSUER, ROOT, Measured, make_keys, run
from serving import Serving

sys.path.insert(0, f"{ROOT}/tests/wasm/hosts")
import example  # noqa: E402

CONNECTIONS = 16
ROUTES = {
    "page": ("client", "/api/app/objet-courrier"),
    "mail-object": ("client", "/api/app/objet-courrier/1"),
    "bundles": ("client", "/api/app/liasse"),
    "bundle": ("client", "/api/app/liasse/L-2024-0003"),
    "dashboard": ("manager", "/api/app/liasse/dashboard-list"),
}
FASTIFY = "Fastify, fast-jwt"
MAP, FOLDER = "Node, a Map", "Node, a folder"
MEASURES = ("requests/s", "latency, median", "99th percentile", "processor time for a request")
OWN = {"etag", "x-correlation-id"}  # each has its own


class Host(Serving, Measured):
    """A server that prints its address."""

    tls = False
    stop_signal = signal.SIGTERM

    def __init__(self, command, folder, environment):
        self.file = tempfile.NamedTemporaryFile()
        super().__init__(command, self.file.name, environment, folder)
        self.wait_for_address()


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, folder, pathlib.Path(options.build).absolute()
        self.portail = f"{self.build}/native/portail"
        self.document = f"{ROOT}/fixtures/portail.json"
        self.keys, token = make_keys(self.portail, folder, "EdDSA")
        self.tokens = {"client": token, "manager": self.token("sub-gestionnaire-1", "--role", "gestionnaire")}
        self.environment = example.plain_environment(folder)
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback",
                         "PORTAIL_JWKS": pathlib.Path(self.keys).read_text(), "PORT": "0"}

    def token(self, subject, *flags):
        return run(self.portail, "token", "--keys", f"{self.folder}/EdDSA.json", "--issuer", ISSUER, "--audience", AUDIENCE,
                   "--subject", subject, "--lifetime", "86400", *flags).strip()

    def headers(self, persona):
        return {"Authorization": f"Bearer {self.tokens[persona]}"}

    def starts(self):
        """The functions that start each side."""
        store, values = self.folder / "store", self.folder / "values.jsonl"
        run(self.portail, "import", "--store", f"dir:{store}", self.document)
        run(self.portail, "export", "--store", f"dir:{store}", "--format", "json-lines", "--output", str(values))
        return {FASTIFY: self.fastify(), MAP: self.package(values, f"{ROOT}/tools/bench/map_node.mjs"), FOLDER: self.package(store)}

    def fastify(self):
        """Its sources beside the packages that its lock file pins."""
        folder = self.folder / "fastify"
        shutil.copytree(f"{ROOT}/tools/bench/fastify", folder)
        (folder / "node_modules").symlink_to(self.build / "bench/fastify/node_modules")
        command = ["node", "server.mjs", self.document, self.keys, ISSUER, AUDIENCE]
        return functools.partial(Host, command, folder, self.environment | {"NODE_ENV": "production"})

    def package(self, data, server=None):
        """The example for Node over `data`, or another server in its place."""
        tarball = next((str(found) for found in self.build.glob("package/portail-*.tgz")), None)
        if tarball is None:
            sys.exit("the package's tarball is missing; `tools/dev bench node` builds it")
        folder = self.folder / f"of-{data.name}"
        folder.mkdir()
        installed = example.install("node", tarball, folder)
        if server:
            shutil.copy(server, installed / "server.js")
        return functools.partial(Host, ["node", "server.js"], installed, self.environment | self.settings | {"DATA": str(data)})

    def compare(self, route, hosts):
        """Ends the program if an answer differs from the portal's."""
        persona, target = ROUTES[route]
        headers = self.headers(persona)
        expected = None
        for name, host in reversed(hosts.items()):
            host.get(headers, target)  # the first request for a bundle records a consultation
            answer = host.get(headers, target)
            expected = expected or comparable(answer)
            if comparable(answer) != expected:
                sys.exit(f"{target}: {name} answers {comparable(answer)}, not {expected}")
            tag = dict((field.lower(), value) for field, value in answer[1])["etag"]
            again = host.get(headers | {"If-None-Match": tag}, target)
            if again[0] != 304 or again[2]:
                sys.exit(f"{target}: {name} answers {again[0]} to its own tag")

    def under_load(self, route, hosts):
        """The medians of Host.sample() for each side."""
        persona, target = ROUTES[route]
        request = self.headers(persona), target
        for host in hosts.values():
            host.measure(CONNECTIONS, self.options.warm_up, *request)
        rounds = [[host.sample(CONNECTIONS, self.options.seconds, *request) for host in hosts.values()]
                  for _ in range(self.options.rounds)]
        return dict(zip(hosts, ([statistics.median(column) for column in zip(*samples)] for samples in zip(*rounds))))


def comparable(answer):
    status, fields, body = answer
    named = {name.lower(): value for name, value in fields if name.lower() not in FRAMING}
    return status, {name: None if name in OWN else value for name, value in named.items()}, json.loads(body)


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def print_table(head, sides):
    """`sides` has the measures of each side; prints them as ratios to Fastify's."""
    print_row("", *head)
    print_row(*["---"] * (len(head) + 1))
    for name, measures in sides.items():
        print_row(name, *(f"{value / one:.2f}" for value, one in zip(measures, sides[FASTIFY])))
        print(f"{name}: {' '.join(f'{value:.1f}' for value in measures)}", file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="the build directory")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="of each round")
    parser.add_argument("--warm-up", type=int, default=2, help="seconds under load before the first round of each route")
    parser.add_argument("--only", choices=ROUTES, nargs="+", default=list(ROUTES), help="only these routes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        hosts = {}
        try:
            for name, start in bench.starts().items():
                hosts[name] = start()
            for route in options.only:
                bench.compare(route, hosts)
            print(f"{FASTIFY} as 1; medians of {options.rounds} rounds, in turn, {CONNECTIONS} connections")
            for route in options.only:
                print(f"\n`{ROUTES[route][1]}`\n")
                print_table(MEASURES, bench.under_load(route, hosts))
            print()
            print_table(["memory after the load, MiB"], {name: [host.memory()] for name, host in hosts.items()})
        finally:
            for host in hosts.values():
                host.__exit__()


if __name__ == "__main__":
    main()
