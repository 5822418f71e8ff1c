"""Clients that write and read while an engine fails over, and record the answers. Standard library only."""

import itertools
import json
import threading
import time

from support.program import Worker

BUNDLE, OBJECT = "/api/app/liasse/L-00001", "/api/app/objet-courrier/1"


class Client(Worker):
    """Sends requests on one connection during its `with` block."""

    pause = 0  # seconds before each request

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.success_times = []  # times of the answers 200
        self.refused = []  # the other answers: status, and whether Retry-After was present
        self.max_latency = 0  # seconds
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
                self.max_latency = max(self.max_latency, now - began)
                if answer.status == 200:
                    self.success_times.append(now)
                    self.on_success(number)
                else:
                    self.refused.append((answer.status, answer["Retry-After"] is not None))

    def on_success(self, number):
        """Called after each answer 200."""

    def max_pause(self):
        """Returns the longest time between two answers 200, in seconds."""
        return max(after - before for before, after in itertools.pairwise(self.success_times))


class Writer(Client):
    """A client that sends PUTs and records the acknowledged ones."""

    def __init__(self, server, administrator):
        super().__init__(server)
        self.headers = [administrator, ("Content-Type", "application/json")]
        self.acknowledged = []

    def ask(self, connection, number):
        value = ("Rien", "Optionnel", "Obligatoire")[number % 3]
        body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": value}).encode()
        return connection.request("PUT", OBJECT, [*self.headers, ("X-Correlation-Id", f"put-{number}")], body)

    def on_success(self, number):
        self.acknowledged.append(f"put-{number}")

    def lost_puts(self, records):
        """Returns the acknowledged PUTs without a record in the audit `records`."""
        return sorted(set(self.acknowledged) - {json.loads(line)["correlationId"] for line in records.splitlines()})


class Reader(Client):
    pause = 0.01

    def __init__(self, server, client):
        super().__init__(server)
        self.headers = [client]

    def ask(self, connection, number):
        return connection.request("GET", BUNDLE, self.headers)
