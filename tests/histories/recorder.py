"""Records the operations of concurrent clients on the configuration of mail objects, for the checker: one JSON object a line, in the format
of checker/history.go. Standard library only."""

import collections
import json
import random
import threading
import time

from audit import configuration
from ledger import VALUES
from support.program import PATIENCE, Worker, until

OBJECT = "/api/app/objet-courrier"
UNAVAILABLE = 503  # a change may have happened


def text(value):
    """Returns a configuration as the history has it."""
    usable, assignment = value
    return f"{str(usable).lower()} {assignment}"


class Endpoint:
    """One server of the store, across restarts."""

    def __init__(self, server):
        self.server = server


class History:
    """The operations of one round, on mail objects whose values at its start are `values`. `earlier` are PUTs of the round before whose
    outcome was unknown: they may have their effect now."""

    def __init__(self, values, earlier=()):
        self.values = values
        self.operations, self.counts = list(earlier), collections.Counter()
        self.pending_puts = {}  # by id
        self.changed = threading.Condition()

    def begin(self, operation):
        with self.changed:
            if operation["kind"] == "put":
                self.pending_puts[operation["id"]] = operation

    def end(self, operation, outcome):
        """A read without a result constrains nothing, and is left out."""
        with self.changed:
            self.pending_puts.pop(operation["id"], None)
            self.counts[outcome] += 1
            if operation["kind"] == "put" or operation["status"] == 200:
                self.operations.append(operation)
            self.changed.notify_all()

    def puts_in_flight(self):
        with self.changed:
            return list(self.pending_puts.values())

    def unknown_puts(self):
        return [operation for operation in self.operations if operation["status"] == 0]

    def distrust_reads(self):
        """Leaves the reads so far, and the refusals, which follow from reads, out of the order: the writes that they saw may be lost."""
        for operation in self.operations:
            if operation["kind"] == "get" or operation["status"] == 412:
                operation["unordered"] = True

    def wait_for(self, more, clients):
        """Waits until so many more PUTs are acknowledged; raises the exception of a client that failed."""
        with self.changed:
            wanted = self.counts["acknowledged"] + more
            is_done = self.changed.wait_for(
                lambda: self.counts["acknowledged"] >= wanted or any(client.error for client in clients), PATIENCE)
        for client in clients:
            if client.error:
                raise client.error
        if not is_done:
            raise AssertionError(f"no {more} PUTs were acknowledged within {PATIENCE} s")

    def write(self, path, records):
        """`records`: those that `portail audit --json` prints for changes after the start."""
        with open(path, "w", encoding="utf-8") as file:
            for identifier, value in self.values.items():
                print(json.dumps({"kind": "initial", "object": identifier, "value": text(value)}), file=file)
            for operation in self.operations:
                print(json.dumps(operation), file=file)
            for record in records:
                for change in record["changes"]:
                    print(json.dumps({"kind": "record", "id": record["correlationId"], "object": change["objetCourrier"],
                                      "from": text(configuration(change["from"])), "to": text(configuration(change["to"]))}), file=file)


class Client(Worker):
    """Sends one request after the other, each to a random server, until `ending` is set. `name` is unique over all rounds."""

    def __init__(self, name, number, endpoints, headers, history, seed):
        super().__init__()
        self.name, self.number, self.endpoints, self.headers, self.history = name, number, endpoints, headers, history
        self.random = random.Random(f"{seed} {name}")
        self.ending = threading.Event()
        self.connections = {}  # by endpoint
        self.tags = {}  # the last one that this client received, by mail object
        self.requests = 0

    def work(self):
        try:
            while not self.ending.wait(self.random.uniform(0, 0.01)):
                identifier = self.random.choice(list(self.history.values))
                kind = self.random.choice(["get", "get", "put", "if_match", "if_match"])
                self.send(self.random.choice(self.endpoints), kind, identifier)
        finally:
            self.disconnect_all()

    def read_all(self):
        """Reads every mail object from every server. Reads that get no result are repeated."""
        for endpoint in self.endpoints:
            for identifier in self.history.values:
                until(lambda: self.send(endpoint, "get", identifier) == 200, f"mail object {identifier}")  # noqa: B023
        self.disconnect_all()

    def send(self, endpoint, kind, identifier):
        """Returns the status; 0 if the outcome is unknown, None if the server is down and nothing was sent."""
        connection = self.connect(endpoint)
        if not connection:
            self.ending.wait(0.01)
            return None
        self.requests += 1
        operation = {"kind": "get" if kind == "get" else "put", "id": f"{self.name}-{self.requests}", "client": self.number,
                     "object": identifier}
        headers, body = [*self.headers, ("X-Correlation-Id", operation["id"])], b""
        if operation["kind"] == "put":
            usable, assignment = self.random.choice(VALUES)
            operation["sent"] = text((usable, assignment))
            headers.append(("Content-Type", "application/json"))
            body = json.dumps({"utilisablePourLiasse": usable, "typeAffectation": assignment}).encode()
        if kind == "if_match" and identifier in self.tags:
            operation["if_match"] = self.tags[identifier]
            headers.append(("If-Match", self.tags[identifier]))
        self.history.begin(operation)
        operation["call"] = time.monotonic_ns()
        try:
            answer = connection.request(operation["kind"].upper(), f"{OBJECT}/{identifier}", headers, body)
        except (OSError, EOFError):
            answer = None
        operation["return"] = time.monotonic_ns()
        if answer is None or answer["Connection"] == "close":
            self.connections.pop(endpoint).close()
        self.history.end(operation, self.outcome(operation, answer))
        if operation["status"] == 0:
            self.ending.wait(0.05)
        return operation["status"]

    def outcome(self, operation, answer):
        """Adds the answer to the operation. Returns how it is counted."""
        if answer is None or answer.status == UNAVAILABLE:
            operation["status"] = 0
            return f"{operation['kind']}, {'lost' if answer is None else 'unavailable'}"
        operation["status"] = answer.status
        if answer.status == 412 and "if_match" in operation:
            self.tags.pop(operation["object"])
            return "refused"
        if answer.status != 200:
            raise AssertionError(f"{operation}: {answer.body}")
        operation |= {"value": text(configuration(answer.json())), "tag": answer["ETag"]}
        self.tags[operation["object"]] = answer["ETag"]
        return "read" if operation["kind"] == "get" else "acknowledged"

    def connect(self, endpoint):
        """Returns the connection to this server, or None if it is down."""
        if endpoint not in self.connections:
            try:
                self.connections[endpoint] = endpoint.server.connect()
            except OSError:
                return None
        return self.connections[endpoint]

    def disconnect_all(self):
        while self.connections:
            self.connections.popitem()[1].close()
