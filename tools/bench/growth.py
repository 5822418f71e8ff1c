#!/usr/bin/env python3
"""Measures what grows with a portal: the import, the program's memory, its start, and what it answers by id.

    tools/bench/growth.py [--build build] [--most 1000000] [--rounds 5] [--seconds 1] [--record]

Portals of 1,000 bundles, ten times as many, and so on, made by tools/generate-portal and imported into LMDB. Of each import: its
time and processor time for a bundle, and its most memory. Then `portail serve` runs over all of them, and in each round all are
measured in turn with wrk at 16 connections, asking for one bundle after the other of a client's. Last come the memory
(anonymous, and with the pages of the store that are mapped) and the time from the start of the process to its first answer. What is
printed are ratios to the portal of 1,000; the numbers behind them are this machine's, as everywhere. --record: the ratios also
for docs/explanation/performance.md.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import results
from server import AUDIENCE, ISSUER, ROOT, Server, make_keys, run

CONNECTIONS = 16
LEAST = 1000
CLIENT = "sub-client-1"
LIST = "/api/app/liasse"
STARTS = 5
# wrk runs it in each of its threads.
ONE_AFTER_THE_OTHER = """local targets = {%s}
local last = 0
function request()
  last = last %% #targets + 1
  return wrk.format("GET", targets[last])
end
"""


class Portal:
    """A document of that many bundles, imported."""

    def __init__(self, options, folder, bundles):
        self.portail = f"{options.build}/native/portail"
        self.bundles, self.store = bundles, f"lmdb:{folder}/{bundles}"
        document = f"{folder}/portal.json"
        run(f"{ROOT}/tools/generate-portal", "--bundles", str(bundles), "--output", document)
        began = time.monotonic()
        importing = subprocess.Popen([self.portail, "import", "--store", self.store, document], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(importing.pid, 0)
        importing.returncode = status
        if status != 0:
            raise SystemExit(f"the import of {bundles} bundles failed")
        self.seconds = time.monotonic() - began
        self.processor = used.ru_utime + used.ru_stime
        self.import_mib = used.ru_maxrss / 1024
        os.remove(document)

    def serve(self, keys):
        return Server([self.portail, "serve", "--store", self.store, "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--audience",
                       AUDIENCE, "--jwks", keys, "--insecure-http", "--transport", "loopback"], False)

    def first_answer(self, keys, headers):
        """Seconds from the start of the process to the end of its first answer, a list of the client's bundles."""
        began = time.monotonic()
        with self.serve(keys) as server:
            server.get(headers, LIST)
            return time.monotonic() - began


def script_for(server, folder, headers, bundles):
    """Each of the client's bundles is asked for once before, since the first look at it is another one than those after it."""
    targets = [f"{LIST}/{bundle['id']}" for bundle in json.loads(server.get(headers, LIST)[2])]
    for target in targets:
        server.get(headers, target)
    path = pathlib.Path(folder) / f"{bundles}.lua"
    path.write_text(ONE_AFTER_THE_OTHER % ", ".join(json.dumps(target) for target in targets))
    return str(path)


def mib(server, name):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024


class Table:
    """What was measured, printed as it comes: ratios to the smallest portal's, and the numbers behind them."""

    def __init__(self, sizes):
        self.ratios = {}
        print(f"{'bundles':42}{''.join(f'{size:>12,}' for size in sizes)}   what that is here")

    def add(self, name, values, unit):
        self.ratios[name] = [value / values[0] for value in values]
        print(f"{name:42}{''.join(f'{ratio:>12.2f}' for ratio in self.ratios[name])}   "
              f"{' '.join(f'{value:.3g}' for value in values)} {unit}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build", help="where the programs were built")
    parser.add_argument("--most", type=int, default=1_000_000, help="bundles of the largest portal")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=1, help="of each round")
    parser.add_argument("--folder", help="where the stores are made: 3 GB for a million bundles (default: a temporary folder)")
    parser.add_argument("--record", action="store_true", help="write the ratios to tools/bench/results")
    options = parser.parse_args()
    sizes = [LEAST]
    while sizes[-1] * 10 <= options.most:
        sizes.append(sizes[-1] * 10)
    with tempfile.TemporaryDirectory(prefix="portail-bench-", dir=options.folder) as folder:
        portals = [Portal(options, folder, size) for size in sizes]
        keys, _ = make_keys(portals[0].portail, folder, "EdDSA")
        token = run(portals[0].portail, "token", "--keys", f"{folder}/EdDSA.json", "--issuer", ISSUER, "--audience", AUDIENCE,
                    "--subject", CLIENT, "--lifetime", "86400").strip()
        headers = {"Authorization": f"Bearer {token}"}
        table = Table(sizes)
        table.add("import: time for a bundle", [portal.seconds / portal.bundles * 1e6 for portal in portals], "us")
        table.add("import: processor time for a bundle", [portal.processor / portal.bundles * 1e6 for portal in portals], "us")
        table.add("import: most memory", [portal.import_mib for portal in portals], "MiB")
        starts = [[portal.first_answer(keys, headers) for portal in portals] for _ in range(STARTS)]
        table.add("serve: start to the first answer", [statistics.median(column) * 1000 for column in zip(*starts)], "ms")
        servers = []
        try:
            for portal in portals:
                servers.append(portal.serve(keys))
            scripts = [script_for(server, folder, headers, size) for server, size in zip(servers, sizes)]
            rounds = [[server.sample(CONNECTIONS, options.seconds, headers, LIST, script)
                       for server, script in zip(servers, scripts)] for _ in range(options.rounds)]
            rate, _, late, processor = zip(*([statistics.median(column) for column in zip(*samples)] for samples in zip(*rounds)))
            table.add("by id: requests/s", rate, "")
            table.add("by id: latency, 99th percentile", late, "us")
            table.add("by id: processor time for a request", processor, "us")
            table.add("serve: anonymous memory after that", [mib(server, "RssAnon") for server in servers], "MiB")
            table.add("serve: memory with the store's pages", [mib(server, "VmRSS") for server in servers], "MiB")
        finally:
            for server in servers:
                server.__exit__()
    if options.record:
        results.write("growth", {"bundles": sizes, "ratios": table.ratios})


if __name__ == "__main__":
    main()
