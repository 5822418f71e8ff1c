#!/usr/bin/env python3
"""Imports one generated portal over HTTP into each host by `portail import --to`, and compares each with `portail import --store`.

    tools/bench/imports.py [--build build] [--bundles 100000] [--folder /dev/shm] [--only node] [--spin PATH] [--wash PATH]

For each host: its processor time for the import, relative to that of the native command for a new store of the same kind; the largest
memory that it took; and whether its export has the bytes of the native one. The client's processor time does not count: it sends parts of
16 MiB. Spin and wasmCloud are measured if their programs are given. Absolute numbers apply to this machine only.
"""

import argparse
import contextlib
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from server import ROOT, Measured, run

sys.path[:0] = [f"{ROOT}/tests/support", f"{ROOT}/tests/wasm/hosts"]
import example  # noqa: E402
from portal import Portal, clean_environment  # noqa: E402
from serving import Running, Serving, Spin, Wash, Wasmtime, free_port  # noqa: E402


class Native(Serving, Measured):
    announcement = r"the management interface is served.*?port\W+(\d+)"

    def wait_for_address(self):
        self.scheme, self.address = "http", f"127.0.0.1:{self.wait_for(self.announcement)[1]}"


class Component(Wasmtime, Measured):
    pass


class Package(example.Server, Measured):
    pass


class SpinApplication(Spin, Measured):
    pass


class WashComponent(Wash, Measured):
    pass


class Valkey(Running):
    def __init__(self, folder):
        self.port = free_port()
        super().__init__(["valkey-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""], folder / "valkey.log")
        self.wait_for("Ready to accept connections")

    def url(self, database):
        return f"redis://127.0.0.1:{self.port}/{database}"


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.build = options, folder, pathlib.Path(options.build).resolve()
        self.portal = Portal(str(self.build / "native" / "portail"), folder)
        self.portal.make_keys()
        self.document = folder / "portal.json"
        run(f"{ROOT}/tools/generate-portal", "--bundles", str(options.bundles), "--output", str(self.document))
        self.token = folder / "token"
        self.token.write_text(self.portal.token("operator", "--permission", "PortailClients.Administration"))
        self.settings = self.portal.settings
        self.references = {}  # processor seconds of the native command by kind of store

    def reference(self, store):
        """The processor time of `portail import` into a new store of that kind, and its export's file."""
        kind = store.partition(":")[0]
        if kind not in self.references:
            place = f"{self.folder}/native-{kind}"
            store = self.valkey.url(1) if kind == "redis" else f"{kind}:{place}"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.portal.run("import", "--store", store, self.document)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.portal.run("export", "--store", store, "--output", f"{self.folder}/{kind}.json")
            self.references[kind] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return self.references[kind], pathlib.Path(f"{self.folder}/{kind}.json")

    def hosts(self):
        """For each host: its name, the kind of store that the native command is compared with, and a function that starts it."""
        wasm = self.build / "wasi"
        logs = self.folder

        def native(kind):
            flags = ["serve", "--store", f"{kind}:{self.folder}/served-{kind}", "--create", "--listen", f"127.0.0.1:{free_port()}",
                     "--manage-listen", "127.0.0.1:0", "--insecure-http"]
            return Native([self.portal.program, *flags], logs / f"{kind}.log", clean_environment() | self.settings)

        def component(name):
            (self.folder / name).mkdir()
            return Component(f"{self.build}/wasmtime/wasmtime", wasm / f"portail-manage-{name}.wasm", logs / f"{name}.log",
                             "--dir", f"{self.folder / name}::/data", settings=self.settings)

        def package(host):
            tarball = next(self.build.glob("package/portail-*.tgz"))
            copy = example.install(host, str(tarball), self.folder)
            data = self.folder / f"{host}-data"
            data.mkdir()
            return Package(f"management-{host}", host, copy, self.settings, str(data), self.folder, is_management=True)

        yield "native, lmdb", "lmdb", lambda: native("lmdb")
        yield "native, dir", "dir", lambda: native("dir")
        yield "wasmtime, 0.3", "dir", lambda: component("wasmtime")
        yield "wasmtime, 0.2", "dir", lambda: component("wasmtime-p2")
        yield "node, directory", "dir", lambda: package("node")
        yield "workerd", "dir", lambda: package("workerd")
        if self.options.spin:
            yield "spin, SQLite", "spin-sqlite", lambda: SpinApplication(
                self.options.spin, f"{ROOT}/edge/spin/manage.toml", logs / "spin.log", self.folder / "spin.db", self.settings)
            yield "spin, Redis", "redis", lambda: SpinApplication(
                self.options.spin, f"{ROOT}/edge/spin/manage.toml", logs / "spin-redis.log", self.valkey.url(0), self.settings)
        if self.options.wash:
            (self.folder / "buckets").mkdir()
            yield "wasmCloud", "dir", lambda: WashComponent(
                self.options.wash, wasm / "portail-manage-wasi-keyvalue.wasm", logs / "wash.log", self.folder / "buckets", self.settings)

    def measure(self, name, kind, start):
        reference, expected = self.reference(f"{kind}:")
        remote = ("--token-file", self.token)
        with start() as host:
            before, began = host.processor_seconds(), time.monotonic()
            subprocess.run([self.portal.program, "import", "--to", host.url, *remote, self.document], check=True, stdout=subprocess.DEVNULL)
            taken, seconds = host.processor_seconds() - before, time.monotonic() - began
            peak = host.memory("VmHWM")
            exported = self.folder / "exported.json"
            self.portal.run("export", "--to", host.url, *remote, "--output", exported, "--overwrite")
            same = exported.read_bytes() == expected.read_bytes()
        print(f"{name:18} {taken / reference:10.2f} {taken:10.1f} {seconds:10.1f} {peak:12.0f}   {'the same' if same else 'DIFFERENT'}", flush=True)
        return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build directory")
    parser.add_argument("--bundles", type=int, default=100_000)
    parser.add_argument("--folder", default="/dev/shm", help="where the stores are; default: in memory, so that no disk is measured")
    parser.add_argument("--only", nargs="+", help="the beginnings of names of hosts")
    parser.add_argument("--spin", type=os.path.abspath, help="a Spin 4")
    parser.add_argument("--wash", type=os.path.abspath, help="a wash 2")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portail-imports-", dir=options.folder) as name, contextlib.ExitStack() as stack:
        bench = Bench(options, pathlib.Path(name))
        bench.valkey = stack.enter_context(Valkey(pathlib.Path(name)))
        print(f"{options.bundles} bundles, {bench.document.stat().st_size / 2**20:.0f} MiB, load {os.getloadavg()[0]:.1f}")
        print(f"{'host':18} {'ratio':>10} {'CPU s':>10} {'seconds':>10} {'memory, MiB':>12}   export")
        good = True
        for host, kind, start in bench.hosts():
            if not options.only or any(host.startswith(each) for each in options.only):
                good &= bench.measure(host, kind, start)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
