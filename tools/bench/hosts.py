#!/usr/bin/env python3
"""Compares each host of the plain module with a server of the same kind and a constant answer.

    tools/bench/hosts.py [--build build] [--rounds 5] [--seconds 1] [--only node go]

The page of ten mail objects of the sample portal, in a directory, with an EdDSA token, by each of wasm/examples: those in
JavaScript with the installed tarball of the npm package, the others as built by `tools/dev wasm`. For each, a server with
the same library and runtime (tools/bench/hosts) sends the same bytes and headers. In each round both are measured in turn
with wrk at 16 connections, after a warm-up; then their memory (VmRSS). Last, both are started in turn, and the time from
the start of the process to its first answer is measured. Prints a table in Markdown with ratios of medians, portal :
constant; absolute numbers, on standard error, apply to this machine only.
"""

import argparse
import functools
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile
import time

import results
from server import AUDIENCE, FRAMING, ISSUER, ROOT, Measured, make_keys, run
from serving import Serving

sys.path.insert(0, f"{ROOT}/tests/wasm/hosts")
import example  # noqa: E402

CONNECTIONS = 16
CONSTANTS = pathlib.Path(ROOT, "tools/bench/hosts")
EXAMPLES = pathlib.Path(ROOT, "wasm/examples")
JAVASCRIPT = {"node": "Node", "deno": "Deno", "bun": "Bun", "workerd": "workerd"}
EMBEDDED = {"go": "Go, wazero", "python": "Python, wasmtime", "java": "Java, Chicory"}
HOSTS = JAVASCRIPT | EMBEDDED


class Host(Serving, Measured):
    """A server that prints its address."""

    tls = False
    stop_signal = signal.SIGTERM
    interval = 0.001  # seconds: part of the measured time of a start

    def __init__(self, command, folder, environment):
        self.start = time.perf_counter()
        self.file = tempfile.NamedTemporaryFile()
        try:
            super().__init__(command, self.file.name, environment, folder)
        except FileNotFoundError:
            sys.exit(f"{command[0]} is missing; `tools/dev wasm` builds it")
        self.wait_for_address()

    def first_answer(self, headers):
        """Milliseconds from the start of the process to the end of its first answer."""
        if self.get(headers)[0] != 200:
            sys.exit(f"a started host does not answer:\n{self.output()}")
        return (time.perf_counter() - self.start) * 1000


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, folder, pathlib.Path(options.build).absolute()
        self.embedding = self.build / "embedding"
        self.store = f"{folder}/store"
        portail = f"{self.build}/native/portail"
        run(portail, "import", "--store", f"dir:{self.store}", f"{ROOT}/fixtures/portail.json")
        keys, token = make_keys(portail, folder, "EdDSA")
        self.headers = {"Authorization": f"Bearer {token}"}
        self.environment = example.plain_environment(folder)
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_TRANSPORT": "loopback",
                         "PORTAIL_JWKS": pathlib.Path(keys).read_text(), "PORT": "0", "DATA": self.store}

    def prepare(self, name):
        """Functions that start the portal and the constant server."""
        constant = self.folder / "constant" / name
        shutil.copytree(CONSTANTS, constant)
        if name in JAVASCRIPT:
            tarball = next((str(found) for found in self.build.glob("package/portail-*.tgz")), None)
            if tarball is None:
                sys.exit("the package's tarball is missing; `tools/dev wasm` builds it")
            folder = example.install(name, tarball, self.folder)
            command = [argument.format(folder=self.store) for argument in example.COMMANDS[name]]
        else:
            folder = self.folder
            command = [*self.embedded(name), "--store", self.store, "--listen", "127.0.0.1:0"]
        ours = functools.partial(Host, command, folder, self.environment | self.settings)
        with ours() as host:
            answer = host.get(self.headers)
        if answer[0] != 200:
            sys.exit(f"{name} answered {answer[0]}: {answer[2]}")
        (constant / "body").write_bytes(answer[2])
        # The constant server sends the same Content-Length as the portal.
        fields = [f"{field}: {value}\n" for field, value in answer[1]
                  if field.lower() not in FRAMING or field.lower() == "content-length"]
        (constant / "headers").write_text("".join(fields))
        other = functools.partial(Host, self.build_constant(name, constant), constant, self.environment)
        with other() as host:
            differing = comparable(answer) ^ comparable(host.get(self.headers))
            if differing:
                sys.exit(f"{name}'s constant server answers differently: {differing}")
        return ours, other

    def embedded(self, name):
        """The example's command, as tests/wasm/CMakeLists.txt has it."""
        java = f"{self.embedding}/java"
        return {"go": [f"{self.embedding}/go/serve", "--cache", f"{self.folder}/compiled"],
                "python": [f"{self.embedding}/python/bin/python", f"{EXAMPLES}/python/serve.py"],
                "java": ["java", "-XX:-DontCompileHugeMethods", "-cp", f"{java}/classes:{self.build}/java/*:{java}/lib/*", "Serve"]}[name]

    def build_constant(self, name, folder):
        """Compiles the constant server in the directory of its sources, and returns its command."""
        jars = f"{self.embedding}/java/lib/*"
        match name:
            case "go":
                run("env", "GOTOOLCHAIN=local", "go", "build", "-o", f"{folder}/constant", f"{folder}/constant.go")
            case "java":
                run("javac", "-cp", jars, "-d", str(folder), f"{folder}/Constant.java")
        return {"node": ["node", "constant_node.mjs"],
                "bun": [example.COMMANDS["bun"][0], "constant_node.mjs"],
                "deno": [example.COMMANDS["deno"][0], "run", "--allow-net=127.0.0.1", "--allow-read", "constant_deno.mjs"],
                "workerd": [example.COMMANDS["workerd"][0], "serve", "--socket-addr", "http=127.0.0.1:0", "--control-fd=1",
                            "constant_workerd.capnp"],
                "go": ["./constant"],
                "python": [f"{self.embedding}/python/bin/python", "constant.py"],
                "java": ["java", "-cp", f".:{jars}", "Constant"]}[name]

    def under_load(self, starts):
        """Requests per second, processor time per request, memory afterwards, and the kernel's share of that time, of both."""
        with starts[0]() as ours, starts[1]() as other:
            both = ours, other
            for host in both:
                host.measure(CONNECTIONS, self.options.warm_up, self.headers)
            rounds = [[host.sample(CONNECTIONS, self.options.seconds, self.headers) for host in both]
                      for _ in range(self.options.rounds)]
            rate, _, _, processor = zip(*(medians(samples) for samples in zip(*rounds)))
            return rate, processor, [host.memory() for host in both], [host.kernel_share() for host in both]

    def first_answers(self, starts):
        """Milliseconds from the start of the process to the end of its first answer, of both."""
        return medians([[self.first_answer(start) for start in starts] for _ in range(self.options.starts)])

    def first_answer(self, start):
        with start() as host:
            return host.first_answer(self.headers)


def comparable(answer):
    status, fields, body = answer
    return {("status", status), ("body", body), *((name.lower(), value) for name, value in fields if name.lower() != "date")}


def medians(rounds):
    return [statistics.median(column) for column in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="the build directory")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="of each round")
    parser.add_argument("--warm-up", type=int, default=6,
                        help="seconds under load before the first round; Java compiles for so long")
    parser.add_argument("--starts", type=int, default=5, help="number of starts")
    parser.add_argument("--only", choices=HOSTS, nargs="+", help="only these hosts")
    parser.add_argument("--record", action="store_true", help="write the ratios to tools/bench/results")
    options = parser.parse_args()
    ratios = {}
    print(f"portal : constant, medians of {options.rounds} rounds and {options.starts} starts, in turn\n")
    print(f"| host | requests/s, {CONNECTIONS} connections | processor time for a request | start to the first answer "
          "| memory after the load |")
    print("|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for name in options.only or HOSTS:
            starts = bench.prepare(name)
            rate, processor, memory, kernel = bench.under_load(starts)
            first = bench.first_answers(starts)
            measured = {"rate": rate, "processor": processor, "start": first, "memory": memory}
            ratios[name] = {"label": HOSTS[name]} | {measure: mine / other for measure, (mine, other) in measured.items()}
            ratios[name] |= {"kernel": kernel[0], "other_kernel": kernel[1]}
            print(f"| {HOSTS[name]} | {' | '.join(f'{ratios[name][measure]:.2f}' for measure in measured)} |", flush=True)
            print(f"{name}: {rate[0]:.0f} : {rate[1]:.0f} requests/s, {processor[0]:.1f} : {processor[1]:.1f} us, "
                  f"{first[0]:.0f} : {first[1]:.0f} ms, "
                  f"{memory[0]:.0f} : {memory[1]:.0f} MiB", file=sys.stderr, flush=True)
    if options.record:
        results.write("hosts", ratios)


if __name__ == "__main__":
    main()
