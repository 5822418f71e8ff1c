#!/usr/bin/env python3
"""Measures the portal against what a team would write instead: the same routes, over the same data and tokens.

    tools/bench/peers.py [--build build] [--rounds 5] [--seconds 1] [--only page bundle] [--portal node-map]

The peer is Fastify with fast-jwt (tools/bench/peers/fastify), its data in memory, its serializers compiled, its verified
tokens remembered. Beside it the npm package in Node, over a Map and over a folder, and the native program over LMDB. Every
answer of the portal is first held against the peer's: the same JSON, the same headers but for what differs by right (each has
tags and correlation ids of its own).
In each round all are measured in turn with wrk at 16 connections, after a warm-up: requests a second, the latency's median
and 99th percentile, and the server's processor time for a request, all of its threads'. Last the memory (VmRSS) after all of
that, and the time from the start of the process to its first answer. What is printed is a table in Markdown of ratios of
medians, portal : peer; the numbers behind it, on standard error, are this machine's.
"""

import argparse
import functools
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

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
PORTALS = {"node-map": "Node, a Map", "node-folder": "Node, a folder", "native": "native, LMDB"}
OWN = {"etag", "x-correlation-id"}  # each has its own
TICKS = os.sysconf("SC_CLK_TCK")


class Peer(Host):
    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def sample(self, seconds, target, headers):
        """Requests a second, median and 99th percentile in microseconds, processor time for a request in microseconds."""
        before = self.processor_seconds()
        rate, middle, late = self.measure(CONNECTIONS, seconds, headers, target)
        return rate, middle, late, (self.processor_seconds() - before) / (rate * seconds) * 1e6


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, folder, pathlib.Path(options.build).absolute()
        self.portail = f"{self.build}/native/portail"
        self.document = f"{ROOT}/fixtures/portail.json"
        self.keys, token = make_keys(self.portail, folder, "EdDSA")
        self.tokens = {"client": token, "manager": self.token("sub-gestionnaire-1", "--role", "gestionnaire")}
        self.environment = example.plain_environment(folder)

    def token(self, subject, *flags):
        return run(self.portail, "token", "--keys", f"{self.folder}/EdDSA.json", "--issuer", ISSUER, "--audience", AUDIENCE,
                   "--subject", subject, "--lifetime", "86400", *flags).strip()

    def headers(self, persona):
        return {"Authorization": f"Bearer {self.tokens[persona]}"}

    def peer(self):
        """How Fastify is started: its sources beside the packages that its lock file pins."""
        fetched, folder = self.build / "peers/fastify", self.folder / "fastify"
        if not (fetched / "node_modules").is_dir():
            sys.exit("Fastify is not there; `tools/dev setup peers` brings it")
        shutil.copytree(f"{ROOT}/tools/bench/peers/fastify", folder)
        (folder / "node_modules").symlink_to(fetched / "node_modules")
        command = ["node", "server.mjs", self.document, self.keys, ISSUER, AUDIENCE]
        return functools.partial(Peer, command, folder, self.environment | {"NODE_ENV": "production"})

    def portal(self, name):
        settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback", "PORT": "0",
                    "PORTAIL_JWKS": pathlib.Path(self.keys).read_text()}
        if name == "native":
            store = f"lmdb:{self.folder}/lmdb"
            run(self.portail, "import", "--store", store, self.document)
            command = [self.portail, "serve", "--store", store, "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--audience",
                       AUDIENCE, "--jwks", self.keys, "--insecure-http", "--transport", "loopback"]
            return functools.partial(Peer, command, self.folder, self.environment)
        store = f"{self.folder}/store"
        if not os.path.exists(store):
            run(self.portail, "import", "--store", f"dir:{store}", self.document)
        tarball = next((str(found) for found in self.build.glob("package/portail-*.tgz")), None)
        if tarball is None:
            sys.exit("the package's tarball is not there; `tools/dev wasm` makes it")
        target = self.folder / name
        target.mkdir()
        folder = example.install("node", tarball, target)
        if name == "node-map":
            shutil.copy(f"{ROOT}/tools/bench/peers/map_node.mjs", folder / "server.js")
            store = f"{self.folder}/values.jsonl"
            run(self.portail, "export", "--store", f"dir:{self.folder}/store", "--format", "json-lines", "--output", store)
        return functools.partial(Peer, ["node", "server.js"], folder, self.environment | settings | {"DATA": store})

    def compare(self, name, peer, portal):
        """Ends the program where an answer of `portal` is another one than the peer's."""
        persona, target = ROUTES[name]
        for host in (peer, portal):
            host.get(self.headers(persona), target)  # the first look at a bundle is another one than those after it
        answers = [comparable(host.get(self.headers(persona), target)) for host in (peer, portal)]
        if answers[0] != answers[1]:
            sys.exit(f"{target}: the peer answers {str(answers[0])[:2000]}\nand the portal {str(answers[1])[:2000]}")

    def under_load(self, name, hosts):
        """For each host what Peer.sample gives, as medians."""
        persona, target = ROUTES[name]
        given = target, self.headers(persona)
        for host in hosts:
            host.sample(self.options.warm_up, *given)
        rounds = [[host.sample(self.options.seconds, *given) for host in hosts] for _ in range(self.options.rounds)]
        return [[statistics.median(column) for column in zip(*samples)] for samples in zip(*rounds)]

    def first_answers(self, starts):
        """Milliseconds from the start of the process to the end of its first answer, of each."""
        rounds = [[self.first_answer(start) for start in starts] for _ in range(self.options.starts)]
        return [statistics.median(column) for column in zip(*rounds)]

    def first_answer(self, start):
        with start() as host:
            return host.first_answer(self.headers("client"))


def comparable(answer):
    status, fields, body = answer
    named = {name.lower(): value for name, value in fields if name.lower() not in FRAMING}
    return status, {name: None if name in OWN else value for name, value in named.items()}, json.loads(body)


def print_row(*cells):
    print(f"| {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="where everything was built")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="of each round")
    parser.add_argument("--warm-up", type=int, default=3, help="seconds under load before the first round")
    parser.add_argument("--starts", type=int, default=5, help="how often each is started")
    parser.add_argument("--only", choices=ROUTES, nargs="+", default=list(ROUTES), help="these routes alone")
    parser.add_argument("--portal", choices=PORTALS, nargs="+", default=list(PORTALS), help="these portals alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as name:
        bench = Bench(options, pathlib.Path(name))
        starts = [bench.peer(), *(bench.portal(portal) for portal in options.portal)]
        hosts = []
        try:
            for start in starts:
                hosts.append(start())
            for route in options.only:
                for host in hosts[1:]:
                    bench.compare(route, hosts[0], host)
            print(f"portal : Fastify + fast-jwt, medians of {options.rounds} rounds, in turn, {CONNECTIONS} connections\n")
            print_row("portal", "route", "requests/s", "latency, median", "99th percentile", "processor time for a request")
            print_row(*["---"] * 6)
            for route in options.only:
                peer, *portals = bench.under_load(route, hosts)
                tell(route, "peer", peer)
                for portal, sample in zip(options.portal, portals):
                    print_row(PORTALS[portal], route, *(f"{mine / other:.2f}" for mine, other in zip(sample, peer)))
                    tell(route, portal, sample)
            memory = [host.memory() for host in hosts]
        finally:
            for host in hosts:
                host.__exit__()
        first = bench.first_answers(starts)
        print("\n| portal | memory after the load | start to the first answer |\n|---|---|---|")
        for i, portal in enumerate(options.portal, 1):
            print_row(PORTALS[portal], f"{memory[i] / memory[0]:.2f}", f"{first[i] / first[0]:.2f}")
        print("\n".join(f"{who}: {kib // 1024} MiB, {ms:.0f} ms"
                        for who, kib, ms in zip(["peer", *options.portal], memory, first)), file=sys.stderr)


def tell(route, who, sample):
    rate, middle, late, processor = sample
    print(f"{route}, {who}: {rate:.0f} requests/s, {middle:.0f} and {late:.0f} us, {processor:.1f} us of processor time",
          file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
