"""A portal whose engine answers what none does: nested, endless, of another protocol or shape. The request is a 503, the connection is
ended, the log has one line, memory stays small, and the server goes on; a command ends with one line and status 1."""

import os
import struct
import time
import unittest

from support.hostile import Hostile, endless
from support.postgres import Postgres
from support.program import PATIENCE, PortailTest, Server, run, until
from support.sentinel import NAME, Sentinel
from support.valkey import Valkey

BUNDLE = "/api/app/liasse/L-00001"
MAX_MEMORY = 128  # MiB of the server process
REPLY_TOO_LARGE, PROTOCOL_VIOLATION = "its reply is larger than any to this command", "its reply violates the Redis protocol"
TIMED_OUT = "timed out"
UNEXPECTED_FORMAT = "its answer has an unexpected format"
IS_SLOW = "thread" in os.environ.get("TEST_SANITIZE", "")


def slowly(begin, repeated):
    """Yields pieces for longer than the timeout of a call."""
    yield begin
    for _ in range(600):
        time.sleep(0.1)
        yield repeated


def complete(data):
    return lambda: iter([data])


def without_end(begin, repeated):
    return lambda: endless(begin, repeated)


# Answers to a command that reads, and the reason that is logged for each. tests/stores/redis/redis_reply_test.cpp has more.
REDIS = {
    "nested, whole": (complete(b"*1\r\n" * 100_000 + b":1\r\n"), REPLY_TOO_LARGE),
    "nested, without end": (without_end(b"", b"*1\r\n"), REPLY_TOO_LARGE),
    "elements beyond 64 bits": (complete(b"*99999999999999999999\r\n"), PROTOCOL_VIOLATION),
    "a string of 2 GiB": (without_end(b"$2147483647\r\n", b"x"), REPLY_TOO_LARGE),
    "a status without end": (without_end(b"+", b"x"), REPLY_TOO_LARGE),
    "an error of 16 MiB": (complete(b"-ERR " + b"x" * (16 << 20) + b"\r\n"), REPLY_TOO_LARGE),
    "replies without end": (without_end(b"", b"+OK\r\n"), PROTOCOL_VIOLATION),
    "zeros without end": (without_end(b"", b"\0"), PROTOCOL_VIOLATION),
    "HTTP": (complete(b"HTTP/1.1 400 Bad Request\r\n\r\n"), PROTOCOL_VIOLATION),
    "too few values": (complete(b"*0\r\n"), UNEXPECTED_FORMAT),
    "slowly": (lambda: slowly(b"$262144\r\n", b"x"), TIMED_OUT),
}


def message(kind, body=b"", size=None):
    """Returns a message of PostgreSQL's protocol: kind, length (of itself and the body), body."""
    return kind + struct.pack("!i", 4 + len(body) if size is None else size) + body


def described(*names, form=1):
    """Returns a RowDescription."""
    fields = b"".join(name + b"\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, form) for name in names)
    return message(b"T", struct.pack("!h", len(names)) + fields)


def row(*values):
    return message(b"D", struct.pack("!h", len(values)) +
                   b"".join(struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value for value in values))


def notice(kind, text):
    return message(kind, b"SNOTICE\0C00000\0M" + text + b"\0\0")


BOUND, COMPLETE, READY = message(b"2"), message(b"C", b"SELECT 1\0"), message(b"Z", b"T")
PAIR = described(b"key", b"value")
ANSWER_TOO_LARGE = "its answer is larger than expected"


def answered(*parts):
    return complete(BOUND + b"".join(parts) + COMPLETE + READY)


def parameters():
    """Yields ParameterStatus messages with different names. libpq compares each name with all others, so the values are large: few names
    reach the bound, and long before the deadline."""
    for number in range(0, 200_000, 100):
        yield b"".join(message(b"S", b"portail.p%d\0%s\0" % (each, b"x" * 1000)) for each in range(number, number + 100))


POSTGRES = {
    "a row of 1 GiB": (without_end(BOUND + PAIR + message(b"D", struct.pack("!hi", 2, 1 << 30), (1 << 30) + 10), b"x"), ANSWER_TOO_LARGE),
    "rows without end": (without_end(BOUND + PAIR, row(b"k" * 20, b"v" * 1000)), ANSWER_TOO_LARGE),
    "empty rows without end": (without_end(BOUND + PAIR, row(b"", b"")), ANSWER_TOO_LARGE),
    "a row of a negative size": (complete(BOUND + PAIR + message(b"D", b"", -5)), None),
    "a row that is larger than its message": (complete(BOUND + PAIR + message(b"D", struct.pack("!hi", 2, 1000) + b"x") + READY), None),
    "more columns than a message has": (complete(BOUND + message(b"T", struct.pack("!H", 65535)) + READY), None),
    "30,000 columns": (answered(described(*[b"c"] * 30_000)), UNEXPECTED_FORMAT),
    "no column": (answered(described(), row()), UNEXPECTED_FORMAT),
    "one column": (answered(described(b"key"), row(b"format")), UNEXPECTED_FORMAT),
    "null as a key": (answered(PAIR, row(None, b"v")), UNEXPECTED_FORMAT),
    "null as a value": (answered(PAIR, row(b"format", None)), UNEXPECTED_FORMAT),
    "the text format": (answered(described(b"key", b"value", form=0), row(b"format", b"\\x31")), UNEXPECTED_FORMAT),
    "no rows at all": (complete(BOUND + COMPLETE + READY), UNEXPECTED_FORMAT),
    "notices without end": (without_end(b"", notice(b"N", b"x" * 1000)), ANSWER_TOO_LARGE),
    "a notice of 512 MiB": (without_end(message(b"N", b"SNOTICE\0M", 512 << 20), b"x"), ANSWER_TOO_LARGE),
    "an error of 512 MiB": (without_end(message(b"E", b"SERROR\0C42000\0M", 512 << 20), b"x"), ANSWER_TOO_LARGE),
    "an error of 100 KiB": (complete(notice(b"E", b"x" * (100 << 10)) + READY), "xxx"),
    "an error of 64 MiB": (complete(notice(b"E", b"x" * (64 << 20)) + READY), ANSWER_TOO_LARGE),
    "notifications without end": (without_end(b"", message(b"A", struct.pack("!i", 1) + b"c\0" + b"x" * 100 + b"\0")), ANSWER_TOO_LARGE),
    "parameters without end": (parameters, ANSWER_TOO_LARGE),
    "a copy from here": (complete(BOUND + message(b"G", b"\0\0\0")), None),
    "a copy to here": (complete(BOUND + message(b"H", b"\0\0\0")), None),
    "a copy to both": (complete(BOUND + message(b"W", b"\0\0\0")), None),
    "results without end": (without_end(BOUND, COMPLETE), ANSWER_TOO_LARGE),
    "an unknown kind": (without_end(b"", b"?"), None),
    "zeros without end": (without_end(b"", b"\0"), None),
    "slowly": (lambda: slowly(BOUND + PAIR + message(b"D", b"", 1000), b"x"), TIMED_OUT),
}


class HostileEngine:
    """Tests over the engine that `make_engine` starts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = cls.enterClassContext(cls.make_engine())
        assert run("import", "--store", cls.engine.url, cls.document()).returncode == 0
        cls.client = cls.bearer()

    def setUp(self):
        self.hostile = self.enterContext(Hostile(self.engine.port))
        self.store = self.engine.url_at(self.hostile.port)

    def test_a_server_goes_on(self):
        for name, (answer, reason) in self.rows.items():
            self.hostile.disarm()
            with self.subTest(name), Server(self.folder, "--store", self.store) as server:
                self.assertEqual(server.ask("GET", BUNDLE, [self.client]).status, 200)
                self.hostile.arm(self.reading, answer)
                refused = server.ask("GET", BUNDLE, [self.client])
                self.assertEqual((refused.status, refused["Retry-After"] is not None), (503, True))
                self.assertGreaterEqual(self.hostile.answered, 1)
                if reason != UNEXPECTED_FORMAT:  # where the protocol is kept, the connection is still good
                    self.assertTrue(self.hostile.ended.wait(PATIENCE), "the connection is not ended")
                self.hostile.disarm()
                until(lambda: server.ask("GET", BUNDLE, [self.client]).status == 200, "the store to be back")
                self.assertIsNone(server.process.poll())
                if name not in self.single_messages:
                    self.assertLess(server.peak_memory(), MAX_MEMORY)
                lines = until(lambda: server.events("store: a read failed"), "a line in the log")
                self.assertEqual(len({line["detail"] for line in lines}), len(lines), "each cause is logged once")
                self.assertLessEqual(len(lines), 2, lines)  # a request that is tried again may time out
                expected = [self.expected_reasons.get(reason, reason or "127.0.0.1")]
                if name in self.single_messages or IS_SLOW:
                    expected += self.instead.get(reason, ())
                self.assertTrue(any(text in lines[0]["detail"] for text in expected), lines[0]["detail"])
                self.assertLess(len(lines[0]["detail"]), 1000)
                self.assertEqual(server.stop(), 0)

    def test_commands_end_with_a_line(self):
        commands = [("export", "--store", self.store), ("import", "--store", self.store, self.path("portail.json")),
                    ("check", "--store", self.store, *self.accepting()), ("audit", "--store", self.store), ("migrate", self.store, f"lmdb:{self.path('copy')}")]
        answered_pairs = set()
        rows = [(name, self.markers[-1], commands[0]) for name in self.rows if name != "slowly"]
        rows += [(name, marker, command) for name in self.worst for marker in self.markers for command in commands]
        for name, marker, command in rows:
            with self.subTest(name, marker=marker, command=command[0]):
                self.hostile.arm(marker, self.rows[name][0])
                done = run(*command)
                if self.hostile.answered == 0:
                    continue  # a command that does not send this request
                answered_pairs.add((marker, command[0]))
                self.assertEqual(done.returncode, 1, done.stderr[:2000])
                self.assertLess(len(done.stderr + done.stdout), 4000)
        self.assertEqual({command for _, command in answered_pairs}, {command[0] for command in commands})
        self.assertEqual({marker for marker, _ in answered_pairs}, set(self.markers))

class HostileRedis(HostileEngine, PortailTest):
    make_engine = Valkey
    rows = REDIS
    expected_reasons = {UNEXPECTED_FORMAT: PROTOCOL_VIOLATION}
    instead = {}
    single_messages = ()
    worst = ("nested, whole", "nested, without end")
    reading = b"MGET"
    markers = (b"PING", b"MGET", b"SCAN")


class HostileSentinel(PortailTest):
    """Valid and invalid answers of a sentinel to the question for the primary's address. A busy machine may need more than the second that
    a sentinel has, since its answers pass through this process."""

    def started(self, store):
        try:
            return Server(self.folder, "--store", store)
        except AssertionError:
            return None

    def test_what_is_no_address_is_refused(self):
        def named(host, port):
            return complete(b"*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(host), host, len(port), port))
        rows = {name: row for name, row in REDIS.items() if name not in ("slowly", "too few values")} | {
            "no address": (complete(b"*0\r\n"), PROTOCOL_VIOLATION),
            "three parts": (complete(b"*3\r\n+a\r\n+1\r\n+b\r\n"), PROTOCOL_VIOLATION),
            "a thousand addresses": (complete(b"*2000\r\n" + b"+127.0.0.1\r\n" * 2000), REPLY_TOO_LARGE),
            "port 0": (named(b"127.0.0.1", b"0"), PROTOCOL_VIOLATION),
            "a port of 64 digits": (named(b"127.0.0.1", b"1" * 64), PROTOCOL_VIOLATION),
            "a host of 60 KB": (named(b"a" * 60_000, b"6379"), PROTOCOL_VIOLATION),
            "a host of control characters": (named(b"\x1b[2J\n", b"6379"), PROTOCOL_VIOLATION),
            "a host with an end": (named(b"127.0.0.1\0x", b"6379"), PROTOCOL_VIOLATION)}
        with Valkey() as primary, Sentinel(primary.port) as sentinel, Hostile(sentinel.port) as hostile:
            store = f"redis+sentinel://127.0.0.1:{hostile.port}/{NAME}"
            until(lambda: run("import", "--store", store, self.document()).returncode == 0, "the import")
            for name, (answer, reason) in rows.items():
                with self.subTest(name):
                    hostile.arm(b"get-master-addr-by-name", answer)
                    done = run("export", "--store", store)
                    self.assertEqual(hostile.answered, 1)
                    self.assert_one_line(done, 1, "no sentinel answers", PROTOCOL_VIOLATION if reason == UNEXPECTED_FORMAT else reason)
                    self.assertTrue(hostile.ended.wait(PATIENCE), "the connection is not ended")
                    self.assertLess(len(done.stderr), 1000)
            hostile.disarm()
            with until(lambda: self.started(store), "the start") as server:
                primary.cli("client", "kill", "type", "normal")
                hostile.arm(b"get-master-addr-by-name", complete(b"*1\r\n" * 100_000))
                self.assertEqual(server.ask("GET", BUNDLE, [self.bearer()]).status, 503)
                self.assertGreaterEqual(hostile.answered, 1)
                hostile.disarm()
                until(lambda: server.ask("GET", BUNDLE, [self.bearer()]).status == 200, "the store to be back")
                self.assertEqual(server.stop(), 0)


class HostilePostgres(HostileEngine, PortailTest):
    make_engine = Postgres
    rows = POSTGRES
    expected_reasons = {}
    # The deadline may come before the bound, and the text of an error may be received completely before its bytes are counted.
    instead = {ANSWER_TOO_LARGE: (TIMED_OUT, "xxx")}
    # libpq receives one message for as long as more of it is there, so how much that is before it returns is the sender's doing.
    single_messages = ("a row of 1 GiB", "a notice of 512 MiB", "an error of 512 MiB", "an error of 64 MiB")
    worst = ("a copy from here", "rows without end")
    reading = b"portail_get"
    markers = (b"version()", b"portail_get", b"portail_page\0\0")


if __name__ == "__main__":
    unittest.main()
