"""A portal over PostgreSQL, and over Valkey, through a fault proxy. Each answer is correct, or a timely 503 with Retry-After. Every
acknowledged PUT is stored, every refused one completely or not at all. When the fault ends, the portal recovers."""

import concurrent.futures
import datetime
import pathlib
import sys
import time
import unittest

from support.engine import free_port
from support.faults import Fault, Faults
from support.postgres import Postgres
from support.program import STALL, PortailTest, Server, run, until
from support.valkey import Valkey

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kill"))
import audit  # noqa: E402
from ledger import Entry  # noqa: E402

BUNDLE, OBJECT = "/api/app/liasse/L-00001", "/api/app/objet-courrier/1"
CALL_TIMEOUT = 10  # seconds
MAX_ANSWERS = 40  # more than a PUT waits for


class EngineFaults:
    """Tests over the engine that `make_engine` starts; `store` returns its address at the proxy's port."""

    faults_of_answers = [Fault.RESET, Fault.LOST, Fault.HALVED, Fault.FALSE_BEGINNING]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = cls.enterClassContext(cls.make_engine())
        assert run("import", "--store", cls.engine.url, cls.document()).returncode == 0
        cls.faults = cls.enterClassContext(Faults(cls.port()))
        cls.server = cls.enterClassContext(Server(cls.folder, "--store", cls.store(cls.faults.port)))
        cls.client = cls.bearer()
        cls.administrator = [cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                             ("Content-Type", "application/json")]
        cls.entry = Entry(1, (True, "Rien"))  # the one mail object that is written
        cls.tags = [cls.server.ask("GET", OBJECT, [cls.client])["ETag"]]  # each ETag that was read; the most recent one is last
        cls.outcomes = set()

    @classmethod
    def port(cls):
        return cls.engine.port

    @classmethod
    def store(cls, port):
        return cls.engine.url_at(port)

    def ask(self, method, target, headers, body=b""):
        began = time.monotonic()
        answer = self.server.ask(method, target, headers, body)
        self.assertLess(time.monotonic() - began, CALL_TIMEOUT + STALL)
        if answer.status != 200:
            self.assertEqual((answer.status, answer["Retry-After"] is not None), (503, True), answer.body)
        return answer

    def read(self):
        """Returns the status; an answer 200 must be correct."""
        answer = self.ask("GET", BUNDLE, [self.client])
        if answer.status == 200:
            self.assertEqual((answer.json()["id"], answer.json()["nomDossier"]), ("L-00001", "Prêt"))
        return answer.status

    def put(self):
        """PUTs the next value and returns the status; a refused value may be stored."""
        body = self.entry.next()
        self.entry.requests += 1
        number = f"put-{self.entry.requests}"
        answer = self.ask("PUT", OBJECT, [*self.administrator, ("X-Correlation-Id", number)], body)
        if answer.status == 200:
            self.entry.acknowledged = audit.configuration(answer.json())
            self.entry.acknowledged_requests.append(number)
            self.tags.append(answer["ETag"])
        return answer.status

    def read_again(self):
        """Reads the value, as a refused client must: it is the last acknowledged one, or the one sent last."""
        answer = until(lambda: (got := self.ask("GET", OBJECT, [self.client])).status == 200 and got, "the engine to be back")
        found = audit.configuration(answer.json())
        self.assertIsNone(self.entry.fault(found))
        if self.entry.sent == self.entry.acknowledged:
            self.assertEqual(answer["ETag"], self.tags[-1])
            self.outcomes.add("acknowledged")
        else:
            self.outcomes.add("refused, and there" if found == self.entry.sent else "refused, and not there")
        self.entry.settle(found)
        self.tags.append(answer["ETag"])

    def test_a_fault_is_answered_503_until_it_ends(self):
        for fault in self.faults_of_answers:
            with self.subTest(fault=fault):
                self.assertEqual(self.read(), 200)
                with self.faults.during(fault):
                    for _ in range(10):
                        self.assertEqual((self.read(), self.put()), (503, 503))
                    self.assertEqual(self.server.ask("GET", "/health/ready").status, 503)
                    self.assertEqual(self.server.ask("GET", "/health/live").status, 200)
                self.read_again()
                self.assertEqual((self.read(), self.put()), (200, 200))
                self.read_again()

    def test_what_is_late_or_comes_in_pieces_is_right(self):
        for fault in (Fault.SLOW, Fault.SPLIT):
            with self.subTest(fault=fault), self.faults.during(fault):
                applied = self.faults.counts[fault]
                self.assertEqual((self.read(), self.put()), (200, 200))
                self.read_again()
                self.assertGreater(self.faults.counts[fault], applied)

    def test_the_log_has_a_line_a_minute_for_each_cause(self):
        with self.faults.during(Fault.RESET):
            for _ in range(30):
                self.assertEqual(self.read(), 503)
        self.read_again()
        last = {}
        for line in until(self.server.warnings, "a line in the log"):
            time = datetime.datetime.fromisoformat(line["time"])
            if before := last.get(line["detail"]):
                self.assertGreater(time - before, datetime.timedelta(seconds=59), line)
            last[line["detail"]] = time
        self.assertLess(len(last), 10, last)


class LostAnswers(EngineFaults):
    def inject_each(self, fault):
        """Sends PUTs; the fault hits the first request or answer of the first PUT, the second of the second, and so on. Returns the outcomes
        of those that were hit. The last PUT is not hit: its outcome stays in `outcomes`."""
        hit_outcomes = set()
        for number in range(1, MAX_ANSWERS):
            self.outcomes.clear()
            self.faults.inject_once(number, fault)
            self.put()
            has_hit = self.faults.was_injected()
            self.faults.set_fault(Fault.NONE)
            self.read_again()
            if not has_hit:
                self.assertGreater(number, 3, "a PUT waits for three answers at least")
                return hit_outcomes
            hit_outcomes |= self.outcomes
        self.fail("a PUT has no end")

    def test_a_put_may_lose_any_of_its_answers(self):
        """If the answer to a PUT's write is lost, the portal reads the value again and acknowledges the PUT."""
        for fault in (Fault.LOST, Fault.HALVED):
            with self.subTest(fault=fault):
                outcomes = self.inject_each(fault)
                self.assertIn("acknowledged", outcomes)
                self.assertLessEqual(outcomes | self.outcomes, self.outcomes_of_lost_answers)
        self.check_audit()

    def test_a_put_may_lose_any_of_its_requests(self):
        """A write that never reached the engine is not stored, and not retried."""
        outcomes = self.inject_each(Fault.UNSENT)
        self.assertIn("refused, and not there", outcomes)
        self.assertEqual(outcomes | self.outcomes, {"acknowledged", "refused, and not there"})
        self.check_audit()

    def put_with_a_fault(self, fault, later=Fault.NONE):
        """Sends a PUT; the fault hits its compare-and-swap. Returns the status and the outcome."""
        self.assertEqual(self.put(), 200)  # from now on there is a value to swap
        self.outcomes.clear()
        self.faults.inject_at(self.swap_marker, fault, later)
        status = self.put()
        self.assertTrue(self.faults.was_injected())
        self.faults.set_fault(Fault.NONE)
        self.read_again()
        return status, self.outcomes

    def test_a_put_whose_write_cannot_be_read_again_is_refused(self):
        """The only refusal of a stored value: its outcome is unknown, because no later request reaches the engine either."""
        for fault in (Fault.LOST, Fault.HALVED):
            with self.subTest(fault=fault):
                self.assertEqual(self.put_with_a_fault(fault, later=Fault.RESET), (503, {"refused, and there"}))
        self.check_audit()

    def check_audit(self):
        records = run("audit", "--store", self.engine.url, "--action", "update", "--json")
        audit.compare(self, records.stdout, [self.entry])

    def test_silence_is_reported_in_time(self):
        self.assertEqual(self.read(), 200)
        with concurrent.futures.ThreadPoolExecutor() as threads, self.faults.during(Fault.SILENT):
            pending = [threads.submit(self.read), threads.submit(self.put)]
            self.assertEqual([each.result() for each in pending], [503, 503])
            self.assertEqual(self.read(), 503)
        self.read_again()
        self.assertEqual((self.read(), self.put()), (200, 200))
        self.read_again()


class EngineFaultsOverPostgres(LostAnswers, PortailTest):
    make_engine = Postgres
    swap_marker = b"\0portail_swap\0"  # in Bind: the empty name of the portal, and the name of the statement
    # "refused, and not there" if the answer to a read was lost; which answers come in one piece depends on the machine's load.
    # Never "refused, and there": a store must read a write again before it fails (core/storage/key_value_store.hpp, "Failures"), and of
    # each PUT only one answer is lost, so that this read succeeds.
    outcomes_of_lost_answers = {"acknowledged", "refused, and not there"}

    @classmethod
    def store(cls, port):
        # By default an attempt to connect ends after 2 seconds, which a busy machine may exceed: a second fault.
        return f"{super().store(port)}?connect_timeout=10"


class Encrypted(EngineFaults):
    """Under TLS a changed byte is detected at any position."""

    faults_of_answers = [*EngineFaults.faults_of_answers, Fault.FALSE_MIDDLE]


class EngineFaultsOverEncryptedPostgres(Encrypted, PortailTest):
    @classmethod
    def make_engine(cls):
        return Postgres(tls=(cls.path("certificate.pem"), cls.path("key.pem")))

    @classmethod
    def store(cls, port):
        return f"{cls.engine.url_at(port)}?sslmode=require"

class EngineFaultsOverRedis(LostAnswers, PortailTest):
    make_engine = Valkey
    swap_marker = b"EVAL"
    outcomes_of_lost_answers = {"acknowledged"}


class EngineFaultsOverEncryptedRedis(Encrypted, PortailTest):
    @classmethod
    def make_engine(cls):
        cls.make_certificate("engine.pem", "engine-key.pem", "-days", "365", "-addext", "subjectAltName=IP:127.0.0.1")
        cls.tls_port = free_port()
        return Valkey("--tls-port", str(cls.tls_port), "--tls-auth-clients", "no", "--tls-cert-file", cls.path("engine.pem"),
                      "--tls-key-file", cls.path("engine-key.pem"), "--tls-ca-cert-file", cls.path("engine.pem"))

    @classmethod
    def port(cls):
        return cls.tls_port

    @classmethod
    def store(cls, port):
        return f"rediss://127.0.0.1:{port}/0?sslrootcert={cls.path('engine.pem')}"


if __name__ == "__main__":
    unittest.main()
