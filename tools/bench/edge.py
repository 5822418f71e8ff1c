#!/usr/bin/env python3
"""Compares each component with a minimal one, which sends the same answer after the same host calls.

    tools/bench/edge.py [--build build] [--rounds 7] [--seconds 2] [--only portail-wasmtime]

The page of ten mail objects of the sample portal under `wasmtime serve`, with an EdDSA token. strace lists the files that the
page reads; the minimal component (tools/bench/edge) reads the same. Components with a host's buckets are composed with the
tests' host, which stores them in a directory (tests/edge/hosts), and so are the minimal ones.

In each round both are measured in turn with wrk at 16 and 64 connections, with instances that live for 128 requests ("warm",
the default of 0.3) and for one ("fresh", the default of 0.2). Prints ratios of medians. Those for wasmtime are also compared
with `hello`, the example of a component (edge/example). Then, with single requests: the time from a cold instance to the first
byte of its answer, and from the start of the host to its first answer. Absolute numbers apply to this machine only.
"""

import argparse
import contextlib
import os
import re
import socket
import statistics
import sys
import tempfile
import time

import results
from server import AUDIENCE, CONNECTIONS, FRAMING, ISSUER, ROOT, TARGET, Measured, make_keys, run
from serving import Wasmtime

# For each component: the served one, the minimal one, and the path at which both have the store.
PAIRS = {
    "portail-wasmtime": ("portail-wasmtime", "minimal-p3", "/data"),
    "portail-wasmtime-p2": ("portail-wasmtime-p2", "minimal-p2", "/data"),
    "portail-wasi-keyvalue": ("portail-wasi-keyvalue-composed", "minimal-keyvalue-composed", "/buckets/default"),
    "portail-spin-p2": ("portail-spin-p2-composed", "minimal-keyvalue2-composed", "/buckets/default"),
}
# The example component of this repository, with the same adapter; it answers a line and reads no store.
HELLO = {"portail-wasmtime": "hello-p3", "portail-wasmtime-p2": "hello-p2"}
WARM, FRESH = 128, 1  # requests that an instance lives for
PAGE = 64 * 1024  # of linear memory


class Host(Wasmtime, Measured):
    """`wasmtime serve` with a component whose store is a directory, mounted at `mount`."""

    interval = 0.001  # seconds: part of the measured time of a start

    def __init__(self, bench, component, mount, settings, reuse=WARM, flags=(), tracer=(), target=TARGET):
        self.tls, self.target = False, target
        self.file = tempfile.NamedTemporaryFile(dir=bench.folder)
        # Backtraces would make failed host calls slower than in production.
        inherited = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
        super().__init__(bench.wasmtime, f"{bench.build}/wasi/{component}.wasm", self.file.name, "-S", "config", *flags,
                         "--max-instance-reuse-count", str(reuse), "--dir", f"{bench.store}::{mount}", settings=settings, tracer=tracer,
                         environment=inherited)
        self.wait_for_address()


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build, self.wasmtime = options, folder, options.build, options.wasmtime
        self.store = f"{folder}/store"
        self.rates = []  # the results of compare_rates()
        portail = f"{options.build}/native/portail"
        run(portail, "import", "--store", f"dir:{self.store}", f"{ROOT}/fixtures/portail.json")
        keys, token = make_keys(portail, folder, "EdDSA")
        with open(keys) as file:
            self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": file.read(),
                             "PORTAIL_TRANSPORT": "forwarded"}
        self.headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}

    def ours(self, component, **how):
        served, _, mount = PAIRS[component]
        return Host(self, served, mount, self.settings, **how)

    def hello(self, component, **how):
        return Host(self, HELLO[component], "/data", {}, target="/", **how)

    def minimal(self, component, answer, **how):
        _, served, mount = PAIRS[component]
        return Host(self, served, mount, answer, **how)

    def files_of_page(self, component):
        """The files that a page reads in a warm instance, in the order of opening."""
        trace = f"{self.folder}/trace"
        with self.ours(component, tracer=("strace", "-f", "-q", "-o", trace, "-e", "trace=openat,openat2")) as host:
            host.get(self.headers)
            before = os.path.getsize(trace)
            host.get(self.headers)
        with open(trace) as file:
            file.seek(before)
            return [name for name in re.findall(r'open(?:at|at2)\(\d+, "([^"]+)"', file.read())
                    if os.path.isfile(f"{self.store}/{name}")]

    def answer_of_page(self, component, files):
        with self.ours(component) as host:
            status, fields, body = host.get(self.headers)
        if status != 200:
            sys.exit(f"{component} answered {status}: {body}")
        # The host frames answers by Content-Length, so the minimal component sends it too.
        headers = "\n".join(f"{name}: {value}" for name, value in fields
                            if name.lower() not in FRAMING or name.lower() == "content-length")
        answer = {"MINIMAL_KEYS": " ".join(files), "MINIMAL_HEADERS": headers, "MINIMAL_BODY": body.decode()}
        with self.minimal(component, answer) as host:
            same = host.get(self.headers)
        if (status, sorted(fields), body) != (same[0], sorted(same[1]), same[2]):
            differing = set(fields) ^ set(same[1])
            if {name.lower() for name, _ in differing} - {"date"} or body != same[2]:
                sys.exit(f"the answer of the minimal component differs: {same[0]} {differing}")
        return answer

    def compare_rates(self, component, answer):
        for name, reuse in (("warm", WARM), ("fresh", FRESH)):
            with contextlib.ExitStack() as stack:
                ours = stack.enter_context(self.ours(component, reuse=reuse))
                others = {"minimal": stack.enter_context(self.minimal(component, answer, reuse=reuse))}
                if component in HELLO:
                    others["hello"] = stack.enter_context(self.hello(component, reuse=reuse))
                self.compare_with(component, name, ours, others)

    def compare_with(self, component, instances, ours, others):
        for connections in CONNECTIONS:
            rounds = [[host.sample(connections, self.options.seconds, self.headers, host.target) for host in (ours, *others.values())]
                      for _ in range(self.options.rounds)]
            mine, *theirs = ([statistics.median(column) for column in zip(*side)] for side in zip(*rounds))
            for (name, other), of_other in zip(others.items(), theirs):
                rate, middle, late, work = (a / b for a, b in zip(mine, of_other))
                self.rates.append({"component": component, "instances": instances, "other": name, "connections": connections,
                                   "rate": rate, "median": middle, "late": late, "processor": work,
                                   "kernel": ours.kernel_share(), "other_kernel": other.kernel_share()})
                print(f"{component:20} {instances:6} {name:8} {connections:11} {rate:10.2f} {middle:14.2f} {late:12.2f} {work:14.2f}"
                      f"   {mine[0]:8.0f} : {of_other[0]:8.0f}", flush=True)

    def compare_first_bytes(self, component, answer):
        with self.ours(component, reuse=FRESH) as ours, self.minimal(component, answer, reuse=FRESH) as minimal:
            rounds = [[self.first_byte(host) for host in (ours, minimal)] for _ in range(self.options.cold)]
        mine, floor = zip(*rounds)
        print(f"{component:20} a cold instance to its first byte, ms: {spread(mine)}; minimal {spread(floor)}", flush=True)

    def first_byte(self, host):
        """Milliseconds from the request, on an open connection, to the first bytes of the answer."""
        lines = [f"GET {TARGET} HTTP/1.1", "Host: localhost", "Connection: close",
                 *(f"{name}: {value}" for name, value in self.headers.items())]
        with socket.create_connection(("127.0.0.1", host.port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            start_time = time.perf_counter()
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            first = connection.recv(65536)
            taken = time.perf_counter() - start_time
            if not first.startswith(b"HTTP/1.1 200"):
                sys.exit(f"answered {first}")
            while connection.recv(65536):
                pass
        return taken * 1000

    def compare_starts(self, component, answer):
        """The time from the start of the host to its first answer, with a warm compilation cache."""
        rounds = []
        for _ in range(self.options.starts):
            taken = []
            for start in (lambda: self.ours(component), lambda: self.minimal(component, answer)):
                start_time = time.perf_counter()
                with start() as host:
                    host.get(self.headers)
                    taken.append((time.perf_counter() - start_time) * 1000)
            rounds.append(taken)
        mine, floor = zip(*rounds)
        print(f"{component:20} the host's start to the first answer, ms: {spread(mine)}; minimal {spread(floor)}", flush=True)

    def compare_sizes(self, component, answer):
        minimal = PAIRS[component][1].removesuffix("-composed")
        size, floor = (os.path.getsize(f"{self.build}/wasi/{name}.wasm") for name in (component, minimal))
        mine = self.memory(lambda flags: self.ours(component, flags=flags))
        other = self.memory(lambda flags: self.minimal(component, answer, flags=flags))
        print(f"{component:20} {size} bytes; minimal {floor}. Memory of an instance, KiB: {mine // 1024}; minimal {other // 1024}",
              flush=True)

    def memory(self, start):
        """The smallest limit on linear memory with which an instance answers all requests."""
        enough, too_little = 1024, 0  # pages
        while enough - too_little > 1:
            middle = (enough + too_little) // 2
            try:
                with start(("-W", f"max-memory-size={middle * PAGE}")) as host:
                    answered = all(host.get(self.headers)[0] == 200 for _ in range(WARM))
            except RuntimeError:  # less than its initial memory
                answered = False
            enough, too_little = (middle, too_little) if answered else (enough, middle)
        return enough * PAGE


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build directory")
    parser.add_argument("--wasmtime", default=os.path.join(ROOT, "build/wasmtime/wasmtime"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--cold", type=int, default=400, help="number of cold instances")
    parser.add_argument("--starts", type=int, default=9, help="number of starts of the host")
    parser.add_argument("--only", choices=PAIRS, nargs="+", help="only these components")
    parser.add_argument("--record", action="store_true", help="write the ratios of requests to tools/bench/results")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        bench = Bench(options, folder)
        components = options.only or list(PAIRS)
        answers = {}
        for component in components:
            files = bench.files_of_page(component)
            print(f"{component:20} the page reads {len(files)} files: {' '.join(files)}", flush=True)
            answers[component] = bench.answer_of_page(component, files)
        print(f"\ncomponent : minimal, and : hello, medians of {options.rounds} rounds, interleaved; the page of ten mail objects\n")
        print("component            mode   other    connections requests/s latency median latency p99 processor time   requests/s here")
        measures = [bench.compare_rates, bench.compare_first_bytes, bench.compare_starts, bench.compare_sizes]
        for measure in measures:
            for component in components:
                measure(component, answers[component])
            print()
        if options.record:
            results.write("edge", bench.rates)


if __name__ == "__main__":
    main()
