#!/usr/bin/env python3
"""Compares the components for wasmtime with `hello`, the example of a component (edge/example), which reads no store.

    tools/bench/edge.py [--build build] [--rounds 7] [--seconds 2] [--only portail-wasmtime]

The page of ten mail objects of the sample portal under `wasmtime serve`, with an EdDSA token. In each round both are measured in turn
with wrk at 16 and 64 connections, with instances that live for 128 requests ("warm", the default of 0.3), and for 0.2 also for one
("fresh", its default). Prints ratios of medians; absolute numbers apply to this machine only.
"""

import argparse
import os
import statistics
import sys
import tempfile

from server import AUDIENCE, CONNECTIONS, ISSUER, ROOT, TARGET, Measured, make_keys, run
from serving import Wasmtime

HELLO = {"portail-wasmtime": "hello-p3", "portail-wasmtime-p2": "hello-p2"}
MODES = {
    # The host frees an instance of 0.3 a second after its last request: its pool of 1,000 does not suffice.
    "warm": ("--max-instance-reuse-count", "128", "-O", "pooling-allocator=n"),
    "fresh": ("--max-instance-reuse-count", "1"),
}


class Host(Wasmtime, Measured):
    """`wasmtime serve` with a component, and the store's directory mounted."""

    def __init__(self, bench, component, target, flags):
        self.tls, self.target = False, target
        self.file = tempfile.NamedTemporaryFile(dir=bench.folder)
        # Backtraces would make failed host calls slower than in production.
        inherited = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
        super().__init__(bench.wasmtime, f"{bench.build}/wasi/{component}.wasm", self.file.name, *flags, "--dir", f"{bench.store}::/data",
                         settings=bench.settings, environment=inherited)
        self.wait_for_address()


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build, self.wasmtime = options, folder, options.build, options.wasmtime
        self.store = f"{folder}/store"
        portail = f"{options.build}/native/portail"
        run(portail, "import", "--store", f"dir:{self.store}", f"{ROOT}/fixtures/portail.json")
        keys, token = make_keys(portail, folder, "EdDSA")
        with open(keys) as file:
            self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": file.read(),
                             "PORTAIL_TRANSPORT": "forwarded"}
        self.headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}

    def compare(self, component, mode):
        with Host(self, component, TARGET, MODES[mode]) as ours, Host(self, HELLO[component], "/", MODES[mode]) as hello:
            status, _, body = ours.get(self.headers)
            if status != 200:
                sys.exit(f"{component} answered {status}: {body}")
            for connections in CONNECTIONS:
                rounds = [[host.sample(connections, self.options.seconds, self.headers, host.target) for host in (ours, hello)]
                          for _ in range(self.options.rounds)]
                mine, other = ([statistics.median(column) for column in zip(*side)] for side in zip(*rounds))
                rate, middle, late, processor = (a / b for a, b in zip(mine, other))
                print(f"{component:20} {mode:6} {connections:11} {rate:10.2f} {middle:14.2f} {late:12.2f} {processor:14.2f}"
                      f"   {mine[0]:8.0f} : {other[0]:8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build directory")
    parser.add_argument("--wasmtime", default=os.path.join(ROOT, "build/wasmtime/wasmtime"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", choices=HELLO, nargs="+", default=list(HELLO), help="only these components")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        bench = Bench(options, folder)
        print(f"component : hello, medians of {options.rounds} rounds, interleaved; the page of ten mail objects\n")
        print("component            mode   connections requests/s latency median latency p99 processor time   requests/s here")
        for component in options.only:
            bench.compare(component, "warm")
        if "portail-wasmtime-p2" in options.only:
            bench.compare("portail-wasmtime-p2", "fresh")


if __name__ == "__main__":
    main()
