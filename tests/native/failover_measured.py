#!/usr/bin/env python3
"""How long a failover takes, and what it loses: docs/notes/stores.md, "Failovers, measured". A primary and a standby on this machine, which
follows over a line of 20 ms each way; two portals, with one client that writes without a pause, and two that read; the primary is killed,
frozen or cut off, and the standby promoted a second later, or by sentinels. The proxy of the fault tests connects them.

    PORTAIL_PROGRAM=build/native/portail python3 -B tests/native/failover_measured.py [--runs 3] [--only Valkey]
"""

import argparse
import contextlib
import time

from support.faults import Fault, Faults
from support.load import Reader, Writer
from support.postgres import Postgres
from support.program import PortailTest, Server, run, until
from support.sentinel import WatchedValkey
from support.valkey import Valkey

BEFORE, UNTIL_PROMOTION, AFTER = 3, 1, 2  # seconds
LINE = 0.02  # seconds


class PostgresPair:
    """The portal has both addresses and finds the server that accepts writes; read requests use either."""

    def __init__(self, stack, synchronous):
        self.primary = stack.enter_context(Postgres("synchronous_standby_names=*") if synchronous else Postgres())
        self.line = stack.enter_context(Faults(self.primary.port))
        self.between = stack.enter_context(Faults(self.primary.port, delay=LINE))
        self.standby = stack.enter_context(Postgres(standby_of=self.primary, line=self.between.port))
        until(lambda: self.primary.sql("SELECT state FROM pg_stat_replication") == "streaming", "the standby to follow")
        self.between.set_fault(Fault.SLOW)
        hosts = f"postgres://bob@127.0.0.1:{self.standby.port},127.0.0.1:{self.line.port}/postgres"
        self.store, self.any = f"{hosts}?target_session_attrs=read-write", f"{hosts}?target_session_attrs=any"

    def has_caught_up(self):
        return self.standby.has_caught_up()

    def promote(self):
        self.standby.sql("SELECT pg_promote()")


class ValkeyPair:
    """The portal has one address, which leads to the replica once that is promoted. With `waits` a write waits for a replica; the
    promoted server has a replica itself."""

    def __init__(self, stack, waits=False):
        self.primary = stack.enter_context(Valkey("--repl-diskless-sync-delay", "0"))
        self.line = stack.enter_context(Faults(self.primary.port))
        self.between = stack.enter_context(Faults(self.primary.port, Fault.SLOW, delay=LINE))
        self.standby = stack.enter_context(Valkey("--repl-diskless-sync-delay", "0"))
        self.standby.cli("replicaof", "127.0.0.1", str(self.between.port))
        until(self.standby.follows, "the replica to follow")
        self.store = self.any = f"redis://127.0.0.1:{self.line.port}/0"
        if waits:
            self.let_one_follow_the_standby(stack)

    def let_one_follow_the_standby(self, stack):
        third = stack.enter_context(Valkey("--replicaof", "127.0.0.1", str(self.standby.port)))
        until(third.follows, "the third one to follow")
        self.store += "?replicas=1"

    def has_caught_up(self):
        return self.primary.cli("dbsize") == self.standby.cli("dbsize")

    def promote(self):
        self.standby.cli("replicaof", "no", "one")
        self.line.set_fault(Fault.NONE)
        self.line.set_target(self.standby.port)


class WatchedPair(ValkeyPair):
    """Sentinels promote the replica, after a second of silence; the portal queries them. All clients reach the primary through the proxy."""

    def __init__(self, stack, waits=False):
        watched = stack.enter_context(WatchedValkey(silence=1000, line=lambda port: Faults(port, Fault.SLOW, LINE)))
        self.primary, self.standby, self.line, self.between = watched.primary, watched.replica, watched.line, watched.line
        self.store = self.any = watched.url
        if waits:
            self.let_one_follow_the_standby(stack)

    def promote(self):
        """Nothing to do: the sentinels promote the replica."""


PAIRS = {
    "PostgreSQL, synchronous": lambda stack: PostgresPair(stack, True),
    "PostgreSQL, asynchronous": lambda stack: PostgresPair(stack, False),
    "Valkey": ValkeyPair,
    "Valkey, ?replicas=1": lambda stack: ValkeyPair(stack, waits=True),
    "Valkey with Sentinel": WatchedPair,
    "Valkey with Sentinel, ?replicas=1": lambda stack: WatchedPair(stack, waits=True),
}


def cut_off(pair):
    pair.line.set_fault(Fault.SILENT)
    pair.between.set_fault(Fault.SILENT)


WAYS = {"killed": lambda pair: pair.primary.stop(), "frozen": lambda pair: pair.primary.freeze(), "cut off": cut_off}


def measure(test, make_pair, lose_primary):
    """Returns seconds without writes, without reads, and without reads that any server may answer; the
    number of acknowledged writes, and how many were lost."""
    with contextlib.ExitStack() as stack:
        pair = make_pair(stack)
        assert run("import", "--store", pair.store, test.document()).returncode == 0
        until(pair.has_caught_up, "the standby to have the portal")
        in_clear = ("--insecure-http", "--transport", "loopback", "--no-access-log")
        server = stack.enter_context(Server(test.folder, "--store", pair.store, *in_clear, tls=False))
        other = stack.enter_context(Server(test.folder, "--store", pair.any, *in_clear, tls=False))
        administrator = test.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
        writer, reader, any_reader = Writer(server, administrator), Reader(server, test.bearer()), Reader(other, test.bearer())
        with writer, reader, any_reader:
            time.sleep(BEFORE)
            acknowledged = len(writer.acknowledged)
            lose_primary(pair)
            time.sleep(UNTIL_PROMOTION)
            pair.promote()
            promoted = time.monotonic()
            clients = (writer, reader, any_reader)
            until(lambda: all(client.success_times[-1] > promoted for client in clients), "both to go on")
            time.sleep(AFTER)
        for client in clients:
            assert set(client.refused) <= {(503, True)}, client.refused
        records = run("audit", "--store", pair.store, "--action", "update", "--json")
        assert records.returncode == 0, records.stderr
        return *(client.max_pause() for client in clients), acknowledged, len(writer.lost_puts(records.stdout))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="stores whose names begin so")
    options = parser.parse_args()
    PortailTest.setUpClass()
    try:
        print("| store | the primary was | without writes, s | without reads, s | … over any server, s | acknowledged before; lost |\n"
              "|---|---|---|---|---|---|")
        for store, make_pair in PAIRS.items():
            if not store.startswith(options.only):
                continue
            for way, lose_primary in WAYS.items():
                measured = [measure(PortailTest, make_pair, lose_primary) for _ in range(options.runs)]
                *pauses, acknowledged, lost_puts = zip(*measured)
                seconds = " | ".join(f"{min(pause):.2f} to {max(pause):.2f}" for pause in pauses)
                print(f"| {store} | {way} | {seconds} | {sum(acknowledged):,}; {sum(lost_puts)} |", flush=True)
    finally:
        PortailTest.tearDownClass()


if __name__ == "__main__":
    main()
