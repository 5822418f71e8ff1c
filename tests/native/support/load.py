"""Clients that write and read while an engine fails over, and what they saw. Standard library only."""

import itertools
import json
import threading
import time

from support.program import Worker

BUNDLE, OBJECT = "/api/app/liasse/L-00001", "/api/app/objet-courrier/1"


class Client(Worker):
    """Asks again and again on one connection, from the beginning of a block to its end."""

    pause = 0  # seconds before each request

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.answered = []  # when, of those that were answered 200
        self.refused = []  # of the others: status, and whether Retry-After came with it
        self.longest = 0  # seconds until an answer
        self.ending = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        self.join()

    def work(self):
        with self.server.connect() as connection:
            for number in itertools.count():
                if self.ending.wait(self.pause):
                    return
                began = time.monotonic()
                answer = self.ask(connection, number)
                now = time.monotonic()
                self.longest = max(self.longest, now - began)
                if answer.status == 200:
                    self.answered.append(now)
                    self.succeeded(number)
                else:
                    self.refused.append((answer.status, answer["Retry-After"] is not None))

    def succeeded(self, number):
        """What there is to be done."""

    def longest_pause(self):
        """Seconds between two answers."""
        return max(after - before for before, after in itertools.pairwise(self.answered))


class Writer(Client):
    """Keeps a ledger of what was acknowledged."""

    def __init__(self, server, administrator):
        super().__init__(server)
        self.headers = [administrator, ("Content-Type", "application/json")]
        self.acknowledged = []

    def ask(self, connection, number):
        value = ("Rien", "Optionnel", "Obligatoire")[number % 3]
        body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": value}).encode()
        return connection.request("PUT", OBJECT, [*self.headers, ("X-Correlation-Id", f"put-{number}")], body)

    def succeeded(self, number):
        self.acknowledged.append(f"put-{number}")

    def lost(self, records):
        """What was acknowledged, and has no record in that audit."""
        return sorted(set(self.acknowledged) - {json.loads(line)["correlationId"] for line in records.splitlines()})


class Reader(Client):
    pause = 0.01

    def __init__(self, server, client):
        super().__init__(server)
        self.headers = [client]

    def ask(self, connection, number):
        return connection.request("GET", BUNDLE, self.headers)
