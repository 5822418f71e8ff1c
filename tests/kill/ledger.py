"""The writers of the kill test, and the ledger of the PUTs that they sent."""

import json
import threading

# All values of a mail object's configuration. A writer cycles through them, so that a stored value identifies its PUT modulo six.
VALUES = [(usable, assignment) for usable in (True, False) for assignment in ("Rien", "Optionnel", "Obligatoire")]


class Entry:
    """One mail object, and the PUTs that its writer sent, one after the other."""

    def __init__(self, identifier, value):
        self.identifier = identifier
        self.acknowledged = value
        self.sent = value  # the last one; its answer may be missing
        self.requests = 0
        self.acknowledged_requests = []  # correlation ids

    def next(self):
        self.sent = VALUES[(VALUES.index(self.acknowledged) + 1) % len(VALUES)]
        return json.dumps({"utilisablePourLiasse": self.sent[0], "typeAffectation": self.sent[1]}).encode()

    def fault(self, found):
        """Returns the reason why the value found after a kill is wrong, or None if it is valid."""
        if found in (self.acknowledged, self.sent):
            return None
        return f"mail object {self.identifier} is {found}: acknowledged was {self.acknowledged}, sent {self.sent}"

    def settle(self, found):
        self.acknowledged = self.sent = found


class Ledger:
    """Counts acknowledged PUTs, and wakes the threads that wait for that number."""

    def __init__(self):
        self.count = 0
        self.is_ending = False  # from now on a PUT may be refused
        self.is_over = False  # from now on no further PUT is sent
        self.failure = None
        self.changed = threading.Condition()

    def acknowledge(self):
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def fail(self, what):
        with self.changed:
            self.failure = self.failure or what
            self.changed.notify_all()

    def wait_for(self, count, patience):
        with self.changed:
            if not self.changed.wait_for(lambda: self.failure or self.count >= count, patience):
                raise AssertionError(f"only {self.count} of {count} PUTs were answered")
            if self.failure:
                raise AssertionError(self.failure)


class Writer(threading.Thread):
    """Changes its own mail objects in turn until its connection breaks, a PUT is refused after the kill, or the ledger is over."""

    def __init__(self, server, headers, entries, ledger):
        super().__init__(daemon=True)
        self.server, self.headers, self.entries, self.ledger = server, headers, entries, ledger

    def run(self):
        try:
            with self.server.connect() as connection:
                while True:
                    for entry in self.entries:
                        if not self.put(connection, entry):
                            return
        except (OSError, EOFError):
            return  # the server was killed
        except Exception as error:  # noqa: BLE001: wait_for() raises it
            self.ledger.fail(repr(error))

    def put(self, connection, entry):
        if self.ledger.is_over:
            return False
        body = entry.next()
        entry.requests += 1
        correlation_id = f"put-{entry.identifier}-{entry.requests}"
        headers = [*self.headers, ("X-Correlation-Id", correlation_id)]
        answer = connection.request("PUT", f"/api/app/objet-courrier/{entry.identifier}", headers, body)
        if answer is None or (self.ledger.is_ending and answer.status == 503):
            return False
        if answer.status != 200:
            self.ledger.fail(f"a PUT was answered {answer.status}: {answer.body}")
            return False
        entry.acknowledged = entry.sent
        entry.acknowledged_requests.append(correlation_id)
        self.ledger.acknowledge()
        return True
