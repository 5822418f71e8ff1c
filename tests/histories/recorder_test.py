"""The recorder and the checker over a register in this process: a correct history is accepted, and one with an injected fault refused."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "native"), str(HERE.parent / "kill")]
from support.program import Answer, until  # noqa: E402

from recorder import Client, Endpoint, History, text  # noqa: E402

CHECKER = os.environ["TEST_CHECKER"]
OBJECTS = (1, 2)
FIRST = (True, "Rien")


class Register:
    """Answers as a portal over one store, through any number of servers, and keeps the audit. `fault` is injected where a client can see it:
    at a value that differs from the current one. `injected` is set once that happened."""

    def __init__(self):
        self.lock = threading.Lock()
        self.values = {identifier: [FIRST] for identifier in OBJECTS}  # all values in turn
        self.records, self.fault, self.injected, self.repeated = [], None, False, None

    def connect(self):
        return self

    def close(self):
        """There is no connection."""

    def request(self, method, target, headers, body):
        identifier, headers = int(target.rsplit("/", 1)[1]), dict(headers)
        time.sleep(0.001)  # others are served before
        with self.lock:
            answer = self.get(identifier) if method == "GET" else self.put(identifier, headers, json.loads(body))
        time.sleep(0.001)
        return answer

    def get(self, identifier):
        values = self.values[identifier]
        if self.fault == "stale read" and any(value != values[-1] for value in values):
            self.injected = True
            return self.answer(next(value for value in reversed(values) if value != values[-1]))
        return self.answer(values[-1])

    def put(self, identifier, headers, sent):
        values, value = self.values[identifier], (sent["utilisablePourLiasse"], sent["typeAffectation"])
        if headers.get("If-Match", self.tag(values[-1])) != self.tag(values[-1]):
            return Answer(412, [], b"", b"")
        self.records.append({"correlationId": headers["X-Correlation-Id"], "changes": [
            {"objetCourrier": identifier, "from": self.members(values[-1]), "to": self.members(value)}]})
        if self.fault == "lost update" and value != values[-1]:
            self.fault, self.injected = None, True
            return self.answer(value)
        if self.fault == "duplicated effect" and self.repeated and value != self.repeated[1] and identifier == self.repeated[0]:
            values += [value, self.repeated[1]]
            self.fault, self.injected = None, True
            return self.answer(value)
        self.repeated = (identifier, value)
        values.append(value)
        return self.answer(value)

    def answer(self, value):
        return Answer(200, [("ETag", self.tag(value))], json.dumps(self.members(value)).encode(), b"")

    def tag(self, value):
        return f'"{text(value)}"'

    def members(self, value):
        return {"utilisablePourLiasse": value[0], "typeAffectation": value[1]}


class RecorderTest(unittest.TestCase):
    def check(self, fault):
        """Records concurrent clients, then one client until the fault is injected, and reads. Returns the end of the checker."""
        register, history = Register(), History(dict.fromkeys(OBJECTS, FIRST))
        endpoints = [Endpoint(register), Endpoint(register)]
        clients = [Client(f"client-{i}", i, endpoints, [], history, seed=1) for i in range(4)]
        for client in clients:
            client.start()
        history.wait_for(50, clients)
        for client in clients:
            client.ending.set()
        for client in clients:
            client.join()
        self.assertGreater(min(history.counts[outcome] for outcome in ("read", "acknowledged", "refused")), 0)
        self.assertTrue(any(a["call"] < b["return"] and b["call"] < a["return"] and a["client"] != b["client"]
                            for a in history.operations for b in history.operations))
        register.fault = fault
        if fault != "stale read":
            until(lambda: clients[0].send(endpoints[0], "put", 1) and register.fault is None, "the fault")
        for client in clients:
            client.read_all()
        self.assertEqual(register.injected, fault is not None)
        with tempfile.TemporaryDirectory(prefix="portail-histories-") as folder:
            history.write(f"{folder}/history", register.records)
            return subprocess.run([CHECKER, f"{folder}/history"], capture_output=True, text=True)

    def test_a_correct_history_is_accepted(self):
        done = self.check(None)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_faults_are_refused(self):
        for fault in ("stale read", "lost update", "duplicated effect"):
            with self.subTest(fault=fault):
                done = self.check(fault)
                self.assertEqual(done.returncode, 1)
                self.assertIn(": not linearizable at client-", done.stderr)


class OutcomeTest(unittest.TestCase):
    """What the recorder makes of the answers that prove nothing."""

    def send(self, kind, *answers):
        class Connection:
            def connect(self):
                return self

            def close(self):
                pass

            def request(self, *_):
                answer = answers[0]
                if isinstance(answer, Exception):
                    raise answer
                return answer

        history = History({1: FIRST})
        client = Client("client", 0, [], [], history, seed=1)
        status = client.send(Endpoint(Connection()), kind, 1)
        return status, [operation["status"] for operation in history.operations], dict(history.counts)

    def test_a_put_without_an_answer_has_an_unknown_outcome(self):
        for answer in (None, ConnectionResetError(), EOFError()):
            with self.subTest(answer=answer):
                self.assertEqual(self.send("put", answer), (0, [0], {"put, lost": 1}))

    def test_a_put_that_got_503_has_an_unknown_outcome(self):
        self.assertEqual(self.send("put", Answer(503, [], b"", b"")), (0, [0], {"put, unavailable": 1}))

    def test_a_read_without_a_result_is_left_out(self):
        self.assertEqual(self.send("get", None), (0, [], {"get, lost": 1}))
        self.assertEqual(self.send("get", Answer(503, [], b"", b"")), (0, [], {"get, unavailable": 1}))

    def test_another_answer_fails_the_client(self):
        for kind, status in (("get", 500), ("put", 404), ("put", 412)):  # 412 without If-Match
            with self.subTest(kind=kind, status=status), self.assertRaises(AssertionError):
                self.send(kind, Answer(status, [], b"", b""))

    def test_distrusted_reads_and_refusals_are_marked(self):
        history = History({1: FIRST})
        history.operations = [{"kind": kind, "status": status} for kind, status in (("get", 200), ("put", 412), ("put", 200), ("put", 0))]
        history.distrust_reads()
        self.assertEqual([operation.get("unordered", False) for operation in history.operations], [True, True, False, False])


if __name__ == "__main__":
    unittest.main()
