"""A client that writes while an engine fails over, and records the answers. Standard library only."""

import itertools
import json
import threading
import time

from support.program import Worker

BUNDLE, OBJECT = "/api/app/liasse/L-00001", "/api/app/objet-courrier/1"


class Writer(Worker):
    """Sends PUTs on one connection during its `with` block, and records the acknowledged ones."""

    def __init__(self, server, administrator):
        super().__init__()
        self.server = server
        self.headers = [administrator, ("Content-Type", "application/json")]
        self.acknowledged = []
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
                if self.ending.is_set():
                    return
                value = ("Rien", "Optionnel", "Obligatoire")[number % 3]
                body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": value}).encode()
                began = time.monotonic()
                answer = connection.request("PUT", OBJECT, [*self.headers, ("X-Correlation-Id", f"put-{number}")], body)
                self.max_latency = max(self.max_latency, time.monotonic() - began)
                if answer.status == 200:
                    self.acknowledged.append(f"put-{number}")
                else:
                    self.refused.append((answer.status, answer["Retry-After"] is not None))

    def lost_puts(self, records):
        """Returns the acknowledged PUTs without a record in the audit `records`."""
        return sorted(set(self.acknowledged) - {json.loads(line)["correlationId"] for line in records.splitlines()})
