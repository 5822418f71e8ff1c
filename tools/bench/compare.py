#!/usr/bin/env python3
"""Compares the portal with others under the same load: each row is a pair.

    tools/bench/compare.py [--build build] [--only server edge node spin fastly] [--rounds 5] [--seconds 2] [--beside OTHER/portail]

server  the program over LMDB beside nginx, which only sends the same bytes and headers, and beside Fastify
edge    the components over a directory under `wasmtime serve` beside `hello` (edge/example), which reads no store, and beside Fastify
node    the npm package beside Fastify
spin    the component over SQLite beside its answer to an unknown route; needs TEST_SPIN, which names the program
fastly  the module of Fastly Compute beside `hello`, both in Viceroy, which starts an instance for each request

Fastify and fast-jwt (tools/bench/fastify) have the same routes in memory, a cache of verified tokens, and serializers compiled from
schemas. First the answers of nginx and Fastify are compared with the portal's: JSON and headers must be equal, except tags and correlation
ids. In each round all of a group are measured in turn with wrk, after a warm-up. Prints Markdown: for each row the ratio of the medians, and
for the requests per second also the lowest and the highest ratio of a round. Absolute numbers, on standard error, apply to this
machine only, whose processors wrk shares. --beside adds another build of portail, such as the one before a change.
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

from hosts import (AUDIENCE, FRAMING, ISSUER, ROOT, UNKNOWN, Component, FastlyHost, Host, Nginx, Server, SpinHost, make_certificate, make_keys, run,
                   tls_flags)

sys.path.insert(0, f"{ROOT}/tests/wasm/hosts")
import example  # noqa: E402

PAGE, BUNDLES = "/api/app/objet-courrier", "/api/app/liasse"
# Of each group: the numbers of connections, and the rows: a name, and two sides, each a host and the path that is requested.
GROUPS = {
    "server": ((16, 64), [("page over HTTP / nginx", ("portail", PAGE), ("nginx", PAGE)),
                          ("page over TLS / nginx", ("portail-tls", PAGE), ("nginx-tls", PAGE)),
                          ("page / Fastify", ("portail", PAGE), ("fastify", PAGE))]),
    "edge": ((16,), [("0.3, page / `hello`", ("p3", PAGE), ("hello-p3", "/")),
                     ("0.3, six bundles / `hello`", ("p3", BUNDLES), ("hello-p3", "/")),
                     ("0.3, page / Fastify", ("p3", PAGE), ("fastify", PAGE)),
                     ("0.2, instances reused, page / `hello`", ("p2", PAGE), ("hello-p2", "/")),
                     ("0.2, an instance a request, page / `hello`", ("p2-fresh", PAGE), ("hello-p2-fresh", "/"))]),
    "node": ((16,), [("a Map, page / Fastify", ("map", PAGE), ("fastify", PAGE)),
                     ("a directory, page / Fastify", ("directory", PAGE), ("fastify", PAGE))]),
    "spin": ((16,), [("Spin, page / unknown route", ("spin", PAGE), ("spin", UNKNOWN)),
                     ("Spin, six bundles / unknown route", ("spin", BUNDLES), ("spin", UNKNOWN))]),
    "fastly": ((16,), [("Fastly, page / `hello`", ("viceroy", PAGE), ("viceroy-hello", "/")),
                       ("Fastly, six bundles / `hello`", ("viceroy", BUNDLES), ("viceroy-hello", "/"))]),
}
# The host frees an instance of 0.3 a second after its last request: its pool of 1,000 does not suffice.
REUSED = ("--max-instance-reuse-count", "128", "-O", "pooling-allocator=n")
FRESH = ("--max-instance-reuse-count", "1")
OWN = {"etag", "x-correlation-id"}  # each has its own


class Bench:
    """The sample portal in each store, and the functions that start the hosts by name."""

    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, pathlib.Path(folder), pathlib.Path(options.build).absolute()
        self.portail = f"{self.build}/native/portail"
        self.keys, token = make_keys(self.portail, folder, "EdDSA")
        self.headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": pathlib.Path(self.keys).read_text()}
        self.document = f"{ROOT}/fixtures/portail.json"
        self.store = f"{folder}/store"
        run(self.portail, "import", "--store", f"dir:{self.store}", self.document)
        run(self.portail, "migrate", f"dir:{self.store}", f"lmdb:{folder}/data")
        make_certificate(folder)

    def start(self, name):
        part, _, kind = name.partition("-")
        if part == "portail":
            return self.server(self.portail, kind == "tls")
        if part == "beside":
            return self.server(self.options.beside, kind == "tls")
        if part == "nginx":
            with self.server(self.portail, kind == "tls") as portail:
                _, fields, body = portail.get(self.headers, PAGE)
            return Nginx(str(self.folder), body, [field for field in fields if field[0].lower() not in FRAMING], kind == "tls")
        if part in ("p2", "p3", "hello"):
            component = {"p2": "portail-wasmtime-p2", "p3": "portail-wasmtime", "hello": f"hello-{kind[:2]}"}[part]
            return Component(f"{self.build}/wasmtime/wasmtime", f"{self.build}/wasi/{component}.wasm", self.store,
                             self.settings | {"PORTAIL_TRANSPORT": "forwarded"}, FRESH if name.endswith("fresh") else REUSED)
        if part == "viceroy":
            module = f"{self.build}/wasi/{kind or 'portail'}-fastly.wasm"
            return FastlyHost(f"{self.build}/viceroy/bin/viceroy", module, self.folder, self.store, self.settings | {"PORTAIL_TRANSPORT": "loopback"})
        return {"fastify": self.fastify, "map": self.map, "directory": self.directory, "spin": self.spin}[part]()

    def server(self, program, tls):
        security = tls_flags(self.folder) if tls else ["--insecure-http", "--transport", "loopback"]
        return Server([program, "serve", "--store", f"lmdb:{self.folder}/data", "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--audience",
                       AUDIENCE, "--jwks", self.keys, *security], tls)

    def fastify(self):
        """Its sources beside the packages that its lock file pins."""
        folder = self.folder / "fastify"
        if not folder.exists():
            shutil.copytree(f"{ROOT}/tools/bench/fastify", folder)
            (folder / "node_modules").symlink_to(self.build / "bench/fastify/node_modules")
        return Host(["node", "server.mjs", self.document, self.keys, ISSUER, AUDIENCE], folder,
                    example.plain_environment(folder) | {"NODE_ENV": "production"})

    def map(self):
        values = self.folder / "values.jsonl"
        run(self.portail, "export", "--store", f"dir:{self.store}", "--format", "json-lines", "--output", str(values))
        installed = self.package("map")
        shutil.copy(f"{ROOT}/tools/bench/map_node.mjs", installed / "server.js")
        return self.node(installed, values)

    def directory(self):
        return self.node(self.package("directory"), self.store)

    @functools.cached_property
    def tarball(self):
        found = next(self.build.glob("package/portail-*.tgz"), None)
        return str(found or sys.exit("the package's tarball is missing; `tools/dev bench` builds it"))

    def package(self, name):
        (self.folder / name).mkdir()
        return example.install("node", self.tarball, self.folder / name)

    def node(self, installed, data):
        settings = self.settings | {"PORTAIL_TRANSPORT": "loopback", "PORT": "0", "DATA": str(data)}
        return Host(["node", "server.js"], installed, example.plain_environment(self.folder) | settings)

    def spin(self):
        run(self.portail, "migrate", f"dir:{self.store}", f"spin-sqlite:{self.folder}/values.db")
        return SpinHost(os.environ["TEST_SPIN"], f"{ROOT}/edge/spin/spin.toml", self.folder, f"{self.folder}/values.db", self.settings)


def comparable(answer):
    status, fields, body = answer
    named = {name.lower(): value for name, value in fields if name.lower() not in FRAMING}
    return status, {name: None if name in OWN else value for name, value in named.items()}, json.loads(body)


def check(bench, hosts, rows):
    """Ends the program if a side does not answer as it should, or differs from the portal."""
    for name, *sides in rows:
        answers = [hosts[host].get(bench.headers, target) for host, target in sides]
        for (host, target), (status, *_) in zip(sides, answers):
            if status != (404 if target == UNKNOWN else 200):
                sys.exit(f"{name}: {host} answers {status}")
        other, target = sides[1]
        if target == PAGE and comparable(answers[0]) != comparable(answers[1]):
            sys.exit(f"{name}: {other} answers {comparable(answers[1])}, not {comparable(answers[0])}")


def measure(bench, group):
    """Measures the sides of a group, and prints its rows."""
    all_connections, rows = GROUPS[group]
    if bench.options.beside and group == "server":
        rows = [*rows, ("page over HTTP / beside", ("portail", PAGE), ("beside", PAGE)),
                ("page over TLS / beside", ("portail-tls", PAGE), ("beside-tls", PAGE))]
    sides = sorted({side for _, *pair in rows for side in pair})
    hosts = {}
    try:
        for name in sorted({host for host, _ in sides}):
            hosts[name] = bench.start(name)
        check(bench, hosts, rows)
        for connections in all_connections:
            def sample(side, connections=connections):
                return hosts[side[0]].sample(connections, bench.options.seconds, bench.headers, side[1])

            for side in sides:
                sample(side)
            rounds = [{side: sample(side) for side in sides} for _ in range(bench.options.rounds)]
            for side in sides:
                print(*side, connections, *(f"{statistics.median(each[side][i] for each in rounds):.1f}" for i in range(4)), file=sys.stderr)
            for name, ours, other in rows:
                medians = [[statistics.median(each[side][i] for each in rounds) for side in (ours, other)] for i in range(4)]
                ratios = [each[ours][0] / each[other][0] for each in rounds]
                rate, *others = (f"{one / two:.2f}" for one, two in medians)
                print(f"| {name} | {connections} | {rate} | {min(ratios):.2f} to {max(ratios):.2f} | {' | '.join(others)} |", flush=True)
    finally:
        for host in hosts.values():
            host.__exit__()


def processor_times():
    """Returns the ticks that the hypervisor gave to other machines, and all ticks, since the start of this one."""
    ticks = [int(each) for each in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return ticks[7], sum(ticks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="the build directory")
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=list(GROUPS), help="only these groups")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each measurement")
    parser.add_argument("--beside", help="another build of portail to compare with")
    options = parser.parse_args()
    if options.only == ["spin"] and not os.environ.get("TEST_SPIN"):
        parser.error("TEST_SPIN names no Spin")
    load = os.getloadavg()[0]
    stolen, total = processor_times()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        bench = Bench(options, folder)
        print("| pair | connections | requests/s | in a round | latency, median | 99th percentile | processor time |\n" + "| --- " * 7 + "|")
        for group in options.only:
            if group == "spin" and not os.environ.get("TEST_SPIN"):
                print("spin: skipped, TEST_SPIN names no Spin", file=sys.stderr)
            else:
                measure(bench, group)
    stolen_now, total_now = processor_times()
    print(f"\nMedians of {options.rounds} rounds. {os.cpu_count()} processors; load before: {load:.2f}; other machines took "
          f"{100 * (stolen_now - stolen) / (total_now - total):.1f} % of the processor time.")


if __name__ == "__main__":
    main()
