#!/usr/bin/env python3
"""Clients read and change mail objects through two servers over one store, while the servers and the store's engine are killed and
restarted. The history of their operations must be linearizable, each with the audit's record of it.

    TEST_PROGRAM=build/native/portail TEST_CHECKER=build/histories/checker tests/histories/histories.py
        [--store dir] [--seconds 60] [--seed 1] [--results build/histories]

Each round of a minute is a history. In the end the engine is killed once more, and every client reads every mail object from both servers.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "native"), str(HERE.parent / "kill")]
from support.program import PortailTest, Server, must_run, until  # noqa: E402

import audit  # noqa: E402
from audit import configuration  # noqa: E402
from recorder import Client, Endpoint, History  # noqa: E402
from stores import SCHEMES, make_stores  # noqa: E402

CHECKER = os.environ["TEST_CHECKER"]
CLIENTS = 8
OBJECTS = 6
ROUND = 60  # seconds; the checker's memory grows with the square of a round's operations
MIN_PROGRESS = 10  # acknowledged PUTs between two kills
OPTIONS = argparse.Namespace(store="lmdb", seconds=60.0, seed=1, results="build/histories")


class HistoriesTest(PortailTest):
    def setUp(self):
        self.random = random.Random(OPTIONS.seed)
        self.stores = self.enterContext(make_stores(OPTIONS.store, self.path))
        self.store = self.stores.address("histories")
        must_run("import", "--store", self.store, self.document(mail_objects=OBJECTS))
        self.headers = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update", "--lifetime",
                                    int(OPTIONS.seconds) + 3600)]
        self.values = dict.fromkeys(range(1, OBJECTS + 1), (True, "Rien"))
        self.records_seen = 0
        self.kinds = ["server", "server", "server", *(["engine"] if hasattr(self.stores, "kill_server") else [])]
        self.kills, self.counts = collections.Counter(), collections.Counter()
        self.puts_in_flight = []  # at kills
        self.seconds_of_checks = 0.0

    def serve(self):
        return Server(self.folder, "--store", self.store, "--insecure-http", "--transport", "loopback", "--workers", 2 * CLIENTS,
                      "--no-access-log", tls=False)

    def test_is_linearizable(self):
        endpoints = [Endpoint(self.serve()), Endpoint(self.serve())]
        try:
            unknown, end = [], time.monotonic() + OPTIONS.seconds
            for number in itertools.count(1):
                round_end = min(end, time.monotonic() + ROUND)
                history = History(dict(self.values), unknown)
                self.record(number, endpoints, history, round_end, round_end == end)
                self.check(history)
                if round_end == end:
                    break
                unknown = history.unknown_puts()
        finally:
            for endpoint in endpoints:
                endpoint.server.__exit__()
        self.report()

    def record(self, number, endpoints, history, end, is_last):
        """Runs the clients until the end, and until everything was killed, also while a PUT was in flight."""
        clients = [Client(f"round-{number}-client-{i}", i, endpoints, self.headers, history, OPTIONS.seed) for i in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            kinds = itertools.cycle(self.random.sample(self.kinds, len(self.kinds)))
            while time.monotonic() < end or not self.lost_puts() or any(not self.kills[kind] for kind in self.kinds):
                history.wait_for(MIN_PROGRESS, clients)
                time.sleep(self.random.uniform(0, 1))
                self.kill(next(kinds), endpoints, history)
            history.wait_for(MIN_PROGRESS, clients)
        finally:
            for client in clients:
                client.ending.set()
        for client in clients:
            client.join()
        if getattr(self.stores, "may_lose_what_was_read", False):
            history.distrust_reads()
        if is_last:
            self.stores.fail_over()
        for endpoint in endpoints:
            until(lambda: endpoint.server.ask("GET", "/health/ready").status == 200, "the server to be ready")  # noqa: B023
        for client in clients:
            client.read_all()
        self.counts += history.counts

    def kill(self, kind, endpoints, history):
        endpoint = self.random.choice(endpoints)
        self.assertIsNone(endpoint.server.process.poll(), endpoint.server.log()[-1000:])
        self.puts_in_flight += history.puts_in_flight()
        self.kills[kind] += 1
        if kind == "engine":
            self.stores.kill_server()
        else:
            endpoint.server.process.kill()
            endpoint.server.__exit__()
            endpoint.server = self.serve()

    def lost_puts(self):
        """Returns the PUTs that were in flight at a kill and have an unknown outcome."""
        return [put for put in self.puts_in_flight if put.get("status") == 0]

    def check(self, history):
        done = must_run("audit", "--store", self.store, "--action", "update", "--json")
        records = [json.loads(line) for line in done.splitlines()[self.records_seen:]]
        self.records_seen += len(records)
        audit.verify(self, must_run("audit", "verify", "--store", self.store, "--json"))
        path = f"{OPTIONS.results}/{OPTIONS.store}.jsonl"
        history.write(path, records)
        for record in records:
            for change in record["changes"]:
                self.values[change["objetCourrier"]] = configuration(change["to"])
        began = time.monotonic()
        checked = subprocess.run([CHECKER, path], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.seconds_of_checks += time.monotonic() - began

    def report(self):
        read, acknowledged, refused, lost, unavailable = (
            self.counts[outcome] for outcome in ("read", "acknowledged", "refused", "put, lost", "put, unavailable"))
        for count in (read, acknowledged, refused, *(self.kills[kind] for kind in self.kinds)):
            self.assertGreater(count, 0, (self.counts, self.kills))
        print(f"{OPTIONS.store}: {read + acknowledged + refused + lost + unavailable:,} operations ({read:,} reads; PUTs: {acknowledged:,} "
              f"acknowledged, {refused:,} refused with 412, {lost + unavailable:,} ambiguous: {lost:,} lost, {unavailable:,} answered 503); "
              f"{self.kills['server']} kills of servers, {self.kills['engine']} of the engine, {len(self.lost_puts())} ambiguous PUTs in "
              f"flight then; {self.seconds_of_checks:.1f} s of checks", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", choices=SCHEMES, default=OPTIONS.store)
    parser.add_argument("--seconds", type=float, default=OPTIONS.seconds)
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--results", default=OPTIONS.results)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)
