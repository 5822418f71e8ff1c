#!/usr/bin/env python3
"""All loads concurrently, for a given time: two servers over one store, with readers of every persona, PUTs with If-Match,
imports by other processes and over HTTP, an operator who reads, exports and copies, slow clients, and rotations of the key. One server runs throughout, and its memory and descriptors must
not grow; the other is killed or stopped under load, and started again. So is the store's engine, if it has one: Valkey syncs each write
before it answers, and PostgreSQL commits to its log, so that a killed engine loses nothing. A ledger records the acknowledged PUTs: none
may be lost.

    TEST_PROGRAM=build/native/portail tests/soak/soak.py [--minutes 10] [--seed 7] [--scheme dir]
"""

import argparse
import json
import os
import random
import signal
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "native"), os.path.join(HERE, "..", "kill")]
from support.identity import IdentityTest  # noqa: E402
from support.postgres import Postgres  # noqa: E402
from support.program import PATIENCE, Server, must_run, until  # noqa: E402
from support.valkey import Valkey  # noqa: E402

import audit  # noqa: E402
import documents  # noqa: E402
from ledger import Entry  # noqa: E402
from load import Endpoint, Importer, Load, Management, Operator, Reader, SlowClients, Tokens, Writer  # noqa: E402

OPTIONS = argparse.Namespace(minutes=1.0, seed=1, scheme="lmdb")
BUNDLES = {"lmdb": 2000, "dir": 400, "redis": 1000, "postgres": 1000}
ENGINES = {"redis": lambda: Valkey("--appendonly", "yes", "--appendfsync", "always"), "postgres": Postgres}
POOL_DESCRIPTORS = {"redis": 4, "postgres": 2 * 16}  # of the server's connections to the engine, which stay open
ENGINE_ENDS = {"engine kills": None, "engine stops": signal.SIGINT}  # the signal; None: as in a crash
TEMPLATE = 1024 * 1024
# The maximum growth of the permanent server from the first third of the measured time to the last. The first round is not measured.
# The server has one arena: with one for each worker, glibc reserves some 30 MiB more in the first minutes, for no request.
MEMORY_GROWTH = 8.0  # MiB
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
DESCRIPTOR_GROWTH = 16
DRAIN = ["--drain-delay", "50", "--shutdown-timeout", "3"]


class SoakTest(IdentityTest):
    @classmethod
    def make_authority(cls):
        pass  # the keys come from a file

    def make_documents(self):
        """Writes two versions of one document in which every entity differs."""
        files, portals = [], []
        with open(self.path("m.pdf"), "wb") as file:
            file.write(random.Random(OPTIONS.seed).randbytes(TEMPLATE))
        for version in (1, 2):
            portal = documents.portal(version, BUNDLES[OPTIONS.scheme])
            portal["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "m.pdf", "chemin": "m.pdf", "type": "application/pdf"}
            for person in portal["tiers"][:60]:
                person["gestionnaires"] = ["sub-manager"]
            portals.append(portal)
            files.append(self.write(f"version-{version}.json", json.dumps(portal, ensure_ascii=False)))
        return files, portals

    def rotate(self, endpoints, number):
        """Publishes a new key, switches to its tokens once both servers accept them, and removes the old key."""
        old, new = f"key-{number - 1}", f"key-{number}"
        self.publish(old, new)
        tokens = Tokens(self.path(f"{new}.json"))
        self.reload(endpoints, tokens, 200)
        before, self.load.tokens = self.load.tokens, tokens
        time.sleep(0.2)  # requests in flight with the old tokens arrive; later ones are retried
        self.publish(new)
        self.reload(endpoints, before, 401)
        self.load.count("rotations")

    def publish(self, *kids):
        self.write("set.new", json.dumps({"keys": [self.make_key(kid) for kid in kids]}))
        os.rename(self.path("set.new"), self.path("set.json"))

    def reload(self, endpoints, tokens, status):
        headers = [("Authorization", f"Bearer {tokens.of['client']}")]
        for endpoint in endpoints:
            endpoint.server.process.send_signal(signal.SIGHUP)
            until(lambda: endpoint.server.ask("GET", "/api/app/objet-courrier", headers).status == status,  # noqa: B023
                  f"{endpoint.name} to take the key set")

    def serve(self, store, *flags, tls):
        return Server(self.folder, "--store", store, "--no-access-log", "--log-level", "info" if tls else "warning", "--max-unsent", "16", *DRAIN,
                      *([] if tls else ["--insecure-http"]), *flags, environment=ONE_ARENA, tls=tls, jwks=self.path("set.json"))

    def restart(self, endpoint, store, number):
        """Ends the server by the signal `number`, SIGKILL or SIGTERM, and starts another."""
        endpoint.is_killed, endpoint.may_disconnect = number == signal.SIGKILL, True
        status = endpoint.server.stop(number)
        self.assertEqual(status, -signal.SIGKILL if endpoint.is_killed else 0, endpoint.server.log()[-1000:])
        endpoint.server.__exit__()
        endpoint.server = self.serve(store, tls=False)
        endpoint.generation += 1
        endpoint.is_killed = endpoint.may_disconnect = False
        self.load.count("kills" if number == signal.SIGKILL else "stops")

    def restart_engine(self, endpoints, end):
        """Ends the engine, and starts it again on the same port. Its store is available when this returns."""
        self.load.is_engine_down = True
        self.load.engine_ends += 1
        self.engine.stop(ENGINE_ENDS[end])
        self.assertTrue(self.engine.start())
        for endpoint in endpoints:
            until(lambda: endpoint.server.ask("GET", "/health/ready").status == 200, f"{endpoint.name} to reach the engine")  # noqa: B023
        self.load.is_engine_down = False
        self.load.count(end)

    def test_all_loads_concurrently(self):
        files, portals = self.make_documents()
        make_engine = ENGINES.get(OPTIONS.scheme)
        self.engine = self.enterContext(make_engine()) if make_engine else None
        store = self.engine.url if self.engine else f"{OPTIONS.scheme}:{self.path('store')}"
        must_run("import", "--store", store, files[0])
        self.publish("key-0")
        entries = [Entry(mail_object["id"], (True, "Rien")) for mail_object in portals[0]["objetsCourrier"]]
        with self.serve(store, "--manage-listen", "127.0.0.1:0", tls=True) as permanent:
            killed = self.serve(store, tls=False)
            endpoints = [Endpoint(permanent, "the server that stays"), Endpoint(killed, "the server that is killed")]
            with open(self.path("m.pdf"), "rb") as file:
                self.load = load = Load(portals[0], file.read(), Tokens(self.path("key-0.json")), endpoints, OPTIONS.seed)
            self.addCleanup(lambda: endpoints[1].server.process.kill())
            descriptors = count_descriptors(permanent)
            management = Endpoint(Management(permanent), "the management interface")
            importer = Importer(load, store, files, self.engine, management)
            writers = [Writer(load, endpoints[i % 2], i, entries[i::4]) for i in range(4)]
            clients = [*writers, *(Reader(load, endpoints[i % 3 // 2], i) for i in range(6)), importer, Operator(load, management, store, self.folder),
                       *(SlowClients(load, endpoint, f"127.0.0.{i + 2}") for i, endpoint in enumerate(endpoints))]
            samples = Samples(permanent, load)
            for client in clients:
                client.start()
            try:
                self.disturb(endpoints, store, samples)
            finally:
                load.over.set()
                for client in [*clients, *([samples] if samples.ident else [])]:
                    client.join(10 * PATIENCE)
            self.assertEqual(load.failures, [])
            self.assertEqual([client for client in clients if client.is_alive()], [], "a client still waits")

            kept = descriptors + 2 + POOL_DESCRIPTORS.get(OPTIONS.scheme, 0)
            until(lambda: count_descriptors(permanent) <= kept, "the end of the connections")
            for endpoint in endpoints:
                self.compare(endpoint.server, entries)
                self.assertEqual(endpoint.server.stop(), 0)
            endpoints[1].server.__exit__()
        importer.unlock()
        self.compare_store(store, entries, portals[importer.imported])
        self.report(samples)

    def disturb(self, endpoints, store, samples):
        """Runs rounds of all disturbances, in an order that the seed draws. The first two rounds are always complete."""
        generator, end, rotations = random.Random(OPTIONS.seed), time.monotonic() + OPTIONS.minutes * 60, 0
        for round_number in range(sys.maxsize):
            if round_number == 1:
                samples.start()
            disturbances = ["kill", "kill", "stop", "rotation", *(ENGINE_ENDS if self.engine else [])]
            generator.shuffle(disturbances)
            for disturbance in disturbances:
                if round_number > 1 and time.monotonic() >= end or self.load.over.wait(generator.uniform(1, 3)):
                    return
                if disturbance == "rotation":
                    rotations += 1
                    self.rotate(endpoints, rotations)
                elif disturbance in ENGINE_ENDS:
                    self.restart_engine(endpoints, disturbance)
                else:
                    self.restart(endpoints[1], store, signal.SIGKILL if disturbance == "kill" else signal.SIGTERM)

    def compare(self, server, entries):
        headers = [("Authorization", f"Bearer {self.load.tokens.of['administrator']}")]
        audit.compare_values(self, server.ask("GET", "/api/app/objet-courrier/list-all", headers), entries)

    def compare_store(self, store, entries, portal):
        """Every acknowledged PUT is recorded once, in one chain, and the last import is complete."""
        audit.compare(self, must_run("audit", "--store", store, "--action", "update", "--json"), entries)
        audit.verify(self, must_run("audit", "verify", "--store", store, "--json"))
        exported = json.loads(must_run("export", "--store", store, "--root", self.path("exported")))
        must_run("migrate", store, f"dir:{self.path('migrated')}")
        self.assertEqual(json.loads(must_run("export", "--store", f"dir:{self.path('migrated')}", "--root", self.path("exported"))), exported)
        values = {entry.identifier: entry.acknowledged for entry in entries}
        found, wanted = documents.entities(exported), documents.entities(portal)
        for (section, key), entity in wanted.items():
            if section == "objetsCourrier":
                entity = entity | dict(zip(("utilisablePourLiasse", "typeAffectation"), values[key], strict=True))
                if "fichierModele" in entity:
                    entity["fichierModele"] = found[section, key]["fichierModele"]
            self.assertEqual(found[section, key], entity)
        self.assertEqual(found.keys(), wanted.keys())
        with open(os.path.join(self.path("exported"), found["objetsCourrier", 1]["fichierModele"]["chemin"]), "rb") as file:
            self.assertEqual(file.read(), self.load.template)

    def report(self, samples):
        first, last = samples.thirds()
        counts = self.load.counts
        # An overloaded server sheds requests, and other processes slow this machine; more than a tenth is a failure.
        self.assertLess(counts.get("answered 503", 0), counts["requests"] / 10)
        for name in ("PUTs acknowledged", "kills", "stops", "rotations", "imports", "imports over HTTP", "exports", "exports of values",
                     "migrations", "slow clients", *(ENGINE_ENDS if self.engine else [])):
            self.assertGreater(counts.get(name, 0), 0, name)
        print(f"soak ({OPTIONS.scheme}, {OPTIONS.minutes:g} min, seed {OPTIONS.seed}): "
              + ", ".join(f"{counts[name]} {name}" for name in sorted(counts)) + ", 0 lost", flush=True)
        for name, value in samples.names.items():
            print(f"  {name}: {first[value]:.1f} in the first third, {last[value]:.1f} in the last", flush=True)
        print("  the same memory at the ends of ten equal times:", " ".join(f"{memory:.0f}" for memory in samples.tenths("memory")),
              flush=True)
        self.assertLessEqual(last["memory"], first["memory"] + MEMORY_GROWTH)
        self.assertLessEqual(last["descriptors"], first["descriptors"] + DESCRIPTOR_GROWTH)


def count_descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def median(values):
    return sorted(values)[len(values) // 2]


class Samples(threading.Thread):
    """Samples the memory and the descriptors of a server twice a second."""

    names = {"memory that is not of files, MiB (median)": "memory", "descriptors (median)": "descriptors",
             "p99 as its clients saw it, ms": "p99"}

    def __init__(self, server, load):
        super().__init__(daemon=True)
        self.server, self.load, self.taken_samples = server, load, []

    def run(self):
        self.began = time.monotonic()
        while not self.load.over.wait(0.5):
            self.taken_samples.append((time.monotonic(), {"memory": self.memory(), "descriptors": count_descriptors(self.server)}))
        self.ended = time.monotonic()

    def memory(self):
        """Returns anonymous memory in MiB: without the pages of LMDB's file, which the kernel may evict."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
            (line,) = [line for line in status if line.startswith("RssAnon:")]
        return int(line.split()[1]) / 1024

    def thirds(self):
        third = (self.ended - self.began) / 3
        return [self.between(self.began, self.began + third), self.between(self.ended - third, self.ended)]

    def tenths(self, name):
        return [self.taken_samples[(len(self.taken_samples) * i + 9) // 10 - 1][1][name] for i in range(1, 11)]

    def between(self, begin, end):
        taken_samples = [values for at, values in self.taken_samples if begin <= at <= end]
        latencies = sorted(seconds for at, seconds in self.load.latencies if begin <= at <= end)
        return {name: median([values[name] for values in taken_samples]) for name in ("memory", "descriptors")} | {
            "p99": latencies[len(latencies) * 99 // 100] * 1000}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=OPTIONS.minutes)
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--scheme", choices=list(BUNDLES), default=OPTIONS.scheme)
    parser.parse_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1], verbosity=2)
