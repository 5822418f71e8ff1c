"""A portal whose engine answers what none does: nested, endless, of another protocol or shape. The request is a 503, the connection is
ended, the log has one line, memory stays small, and the server goes on; a command ends with one line and status 1."""

import contextlib
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
MOST_MEMORY = 128  # MiB of the whole server
LARGER, NO_PLACE = "its reply is larger than any to this command", "its reply violates the Redis protocol"
TOO_LONG = "timed out"
NO_SHAPE = "its answer has an unexpected format"
IS_SLOW = "thread" in os.environ.get("PORTAIL_SANITIZE", "")


def slowly(begin, repeated):
    """For longer than a call may take."""
    yield begin
    for _ in range(600):
        time.sleep(0.1)
        yield repeated


def whole(data):
    return lambda: iter([data])


def without_end(begin, repeated):
    return lambda: endless(begin, repeated)


# What a command that reads is answered, and what the log says of it.
REDIS = {
    "nested, without its end": (whole(b"*1\r\n" * 100_000), LARGER),
    "nested, whole": (whole(b"*1\r\n" * 100_000 + b":1\r\n"), LARGER),
    "nested, without end": (without_end(b"", b"*1\r\n"), LARGER),
    "nested, each of many": (without_end(b"", b"*1024\r\n"), LARGER),
    "nested errors": (whole(b"*1\r\n" * 100_000 + b"-ERR no\r\n"), LARGER),
    "4 G elements": (whole(b"*4294967295\r\n"), LARGER),
    "elements beyond 64 bits": (whole(b"*99999999999999999999\r\n"), NO_PLACE),
    "a negative number of elements": (whole(b"*-2\r\n"), NO_PLACE),
    "a million nils": (whole(b"*1000000\r\n" + b"$-1\r\n" * 1_000_000), LARGER),
    "a string of 2 GiB": (without_end(b"$2147483647\r\n", b"x"), LARGER),
    "a string of 2^62 bytes": (without_end(b"$4611686018427387904\r\n", b"x"), LARGER),
    "a string of -2 bytes": (whole(b"$-2\r\n"), NO_PLACE),
    "a length without end": (without_end(b"$", b"1"), LARGER),
    "a number of elements without end": (without_end(b"*", b"1"), LARGER),
    "a number without end": (without_end(b":", b"1"), LARGER),
    "a status without end": (without_end(b"+", b"x"), LARGER),
    "an error without end": (without_end(b"-ERR ", b"x"), LARGER),
    "an error of 16 MiB": (whole(b"-ERR " + b"x" * (16 << 20) + b"\r\n"), LARGER),
    "replies without end": (without_end(b"", b"+OK\r\n"), NO_PLACE),
    "a map": (whole(b"%1\r\n+a\r\n+b\r\n"), NO_PLACE),
    "a set": (whole(b"~1\r\n+a\r\n"), NO_PLACE),
    "a push": (whole(b">2\r\n+invalidate\r\n+a\r\n"), NO_PLACE),
    "an attribute": (whole(b"|1\r\n+a\r\n+b\r\n"), NO_PLACE),
    "a verbatim string": (whole(b"=5\r\ntxt:a\r\n"), NO_PLACE),
    "a big number": (whole(b"(123456789012345678901234567890\r\n"), NO_PLACE),
    "a double": (whole(b",1.5\r\n"), NO_PLACE),
    "a boolean": (whole(b"#t\r\n"), NO_PLACE),
    "a null of RESP3": (whole(b"_\r\n"), NO_PLACE),
    "a streamed string": (whole(b"$?\r\n;1\r\na\r\n;0\r\n"), NO_PLACE),
    "zeros without end": (without_end(b"", b"\0"), NO_PLACE),
    "HTTP": (whole(b"HTTP/1.1 400 Bad Request\r\n\r\n"), NO_PLACE),
    "a status": (whole(b"+OK\r\n"), NO_SHAPE),
    "too few values": (whole(b"*0\r\n"), NO_SHAPE),
    "slowly": (lambda: slowly(b"$262144\r\n", b"x"), TOO_LONG),
}


def message(kind, body=b"", size=None):
    """Of PostgreSQL's protocol: its kind, its length with itself but without the kind, and what it is of."""
    return kind + struct.pack("!i", 4 + len(body) if size is None else size) + body


def described(*names, form=1):
    """A RowDescription."""
    fields = b"".join(name + b"\0" + struct.pack("!ihihih", 0, 0, 25, -1, -1, form) for name in names)
    return message(b"T", struct.pack("!h", len(names)) + fields)


def row(*values):
    return message(b"D", struct.pack("!h", len(values)) +
                   b"".join(struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value for value in values))


def notice(kind, text):
    return message(kind, b"SNOTICE\0C00000\0M" + text + b"\0\0")


BOUND, COMPLETE, READY = message(b"2"), message(b"C", b"SELECT 1\0"), message(b"Z", b"T")
PAIR = described(b"key", b"value")
TOO_MUCH = "its answer is larger than expected"


def answered(*parts):
    return whole(BOUND + b"".join(parts) + COMPLETE + READY)


def parameters():
    """Each of another name."""
    for number in range(2_000_000):
        if number % 1000 == 0:
            yield b"".join(message(b"S", b"portail.p%d\0%s\0" % (each, b"x" * 100)) for each in range(number, number + 1000))


POSTGRES = {
    "a row of 1 GiB": (without_end(BOUND + PAIR + message(b"D", struct.pack("!hi", 2, 1 << 30), (1 << 30) + 10), b"x"), TOO_MUCH),
    "rows without end": (without_end(BOUND + PAIR, row(b"k" * 20, b"v" * 1000)), TOO_MUCH),
    "empty rows without end": (without_end(BOUND + PAIR, row(b"", b"")), TOO_MUCH),
    "a row of a negative size": (whole(BOUND + PAIR + message(b"D", b"", -5)), None),
    "a row that is larger than its message": (whole(BOUND + PAIR + message(b"D", struct.pack("!hi", 2, 1000) + b"x") + READY), None),
    "more columns than a message has": (whole(BOUND + message(b"T", struct.pack("!H", 65535)) + READY), None),
    "30,000 columns": (answered(described(*[b"c"] * 30_000)), NO_SHAPE),
    "no column": (answered(described(), row()), NO_SHAPE),
    "one column": (answered(described(b"key"), row(b"format")), NO_SHAPE),
    "null as a key": (answered(PAIR, row(None, b"v")), NO_SHAPE),
    "null as a value": (answered(PAIR, row(b"format", None)), NO_SHAPE),
    "the text format": (answered(described(b"key", b"value", form=0), row(b"format", b"\\x31")), NO_SHAPE),
    "no rows at all": (whole(BOUND + COMPLETE + READY), NO_SHAPE),
    "notices without end": (without_end(b"", notice(b"N", b"x" * 1000)), TOO_MUCH),
    "a notice of 512 MiB": (without_end(message(b"N", b"SNOTICE\0M", 512 << 20), b"x"), TOO_MUCH),
    "an error of 512 MiB": (without_end(message(b"E", b"SERROR\0C42000\0M", 512 << 20), b"x"), TOO_MUCH),
    "an error of 100 KiB": (whole(notice(b"E", b"x" * (100 << 10)) + READY), "xxx"),
    "an error of 64 MiB": (whole(notice(b"E", b"x" * (64 << 20)) + READY), TOO_MUCH),
    "notifications without end": (without_end(b"", message(b"A", struct.pack("!i", 1) + b"c\0" + b"x" * 100 + b"\0")), TOO_MUCH),
    "parameters without end": (parameters, TOO_MUCH),
    "a copy from here": (whole(BOUND + message(b"G", b"\0\0\0")), None),
    "a copy to here": (whole(BOUND + message(b"H", b"\0\0\0")), None),
    "a copy to both": (whole(BOUND + message(b"W", b"\0\0\0")), None),
    "results without end": (without_end(BOUND, COMPLETE), TOO_MUCH),
    "an unknown kind": (without_end(b"", b"?"), None),
    "zeros without end": (without_end(b"", b"\0"), None),
    "slowly": (lambda: slowly(BOUND + PAIR + message(b"D", b"", 1000), b"x"), TOO_LONG),
}


class HostileEngine:
    """Over whatever `make_engine` makes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.running = contextlib.ExitStack()
        cls.engine = cls.running.enter_context(cls.make_engine())
        assert run("import", "--store", cls.engine.url, cls.document()).returncode == 0
        cls.client = cls.bearer()

    @classmethod
    def tearDownClass(cls):
        cls.running.close()
        super().tearDownClass()

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
                if reason != NO_SHAPE:  # where the protocol is kept, the connection is still good
                    self.assertTrue(self.hostile.ended.wait(PATIENCE), "the connection is not ended")
                self.hostile.disarm()
                until(lambda: server.ask("GET", BUNDLE, [self.client]).status == 200, "the store to be back")
                self.assertIsNone(server.process.poll())
                if name not in self.single_messages:
                    self.assertLess(server.most_memory(), MOST_MEMORY)
                lines = server.events("store: a read failed")
                self.assertEqual(len(lines), 1, lines)
                expected = [self.said.get(reason, reason or "127.0.0.1")]
                if name in self.single_messages or IS_SLOW:
                    expected += self.instead.get(reason, ())
                self.assertTrue(any(text in lines[0]["detail"] for text in expected), lines[0]["detail"])
                self.assertLess(len(lines[0]["detail"]), 1000)
                self.assertEqual(server.stop(), 0)

    def test_commands_end_with_a_line(self):
        commands = [("export", "--store", self.store), ("import", "--store", self.store, self.path("portail.json")),
                    ("check", "--store", self.store, "--jwks", self.path("public.json"), "--issuer", "i", "--audience", "a",
                     "--transport", "loopback", "--insecure-http"),
                    ("audit", "--store", self.store), ("migrate", self.store, f"lmdb:{self.path('copy')}")]
        asked = set()
        rows = [(name, self.markers[-1], commands[0]) for name in self.rows if name != "slowly"]
        rows += [(name, marker, command) for name in self.worst for marker in self.markers for command in commands]
        for name, marker, command in rows:
            with self.subTest(name, marker=marker, command=command[0]):
                self.hostile.arm(marker, self.rows[name][0])
                done = run(*command)
                if self.hostile.answered == 0:
                    continue  # a command that does not ask it
                asked.add((marker, command[0]))
                self.assertEqual(done.returncode, 1, done.stderr[:2000])
                self.assertLess(len(done.stderr + done.stdout), 4000)
        self.assertEqual({command for _, command in asked}, {command[0] for command in commands})
        self.assertEqual({marker for marker, _ in asked}, set(self.markers))

class HostileRedis(HostileEngine, PortailTest):
    make_engine = Valkey
    rows = REDIS
    said = {NO_SHAPE: NO_PLACE}
    instead = {}
    single_messages = ()
    worst = ("nested, whole", "nested, without end")
    reading = b"MGET"
    markers = (b"PING", b"MGET", b"SCAN")


class HostileSentinel(PortailTest):
    """Its answers name the primary, or do not."""

    def test_what_is_no_address_is_refused(self):
        def named(host, port):
            return whole(b"*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(host), host, len(port), port))
        rows = {name: row for name, row in REDIS.items() if name not in ("slowly", "too few values")} | {
            "no address": (whole(b"*0\r\n"), NO_PLACE), "three parts": (whole(b"*3\r\n+a\r\n+1\r\n+b\r\n"), NO_PLACE),
            "a thousand addresses": (whole(b"*2000\r\n" + b"+127.0.0.1\r\n" * 2000), LARGER),
            "no port": (named(b"127.0.0.1", b""), NO_PLACE), "port 0": (named(b"127.0.0.1", b"0"), NO_PLACE),
            "port 65536": (named(b"127.0.0.1", b"65536"), NO_PLACE), "port -1": (named(b"127.0.0.1", b"-1"), NO_PLACE),
            "a port of 64 digits": (named(b"127.0.0.1", b"1" * 64), NO_PLACE),
            "no host": (named(b"", b"6379"), NO_PLACE), "a host of 60 KB": (named(b"a" * 60_000, b"6379"), NO_PLACE),
            "a host of control characters": (named(b"\x1b[2J\n", b"6379"), NO_PLACE),
            "a host with an end": (named(b"127.0.0.1\0x", b"6379"), NO_PLACE)}
        with Valkey() as primary, Sentinel(primary.port) as sentinel, Hostile(sentinel.port) as hostile:
            store = f"redis+sentinel://127.0.0.1:{hostile.port}/{NAME}"
            self.assertEqual(run("import", "--store", store, self.document()).returncode, 0)
            for name, (answer, reason) in rows.items():
                with self.subTest(name):
                    hostile.arm(b"get-master-addr-by-name", answer)
                    done = run("export", "--store", store)
                    self.assertEqual(hostile.answered, 1)
                    self.assert_one_line(done, 1, "no sentinel answers", NO_PLACE if reason == NO_SHAPE else reason)
                    self.assertTrue(hostile.ended.wait(PATIENCE), "the connection is not ended")
                    self.assertLess(len(done.stderr), 1000)
            hostile.disarm()
            with Server(self.folder, "--store", store) as server:
                primary.cli("client", "kill", "type", "normal")
                hostile.arm(b"get-master-addr-by-name", whole(b"*1\r\n" * 100_000))
                self.assertEqual(server.ask("GET", BUNDLE, [self.bearer()]).status, 503)
                self.assertGreaterEqual(hostile.answered, 1)
                hostile.disarm()
                until(lambda: server.ask("GET", BUNDLE, [self.bearer()]).status == 200, "the store to be back")
                self.assertEqual(server.stop(), 0)


class HostilePostgres(HostileEngine, PortailTest):
    make_engine = Postgres
    rows = POSTGRES
    said = {}
    # The deadline may come before the bound, and the text of an error may be received whole before its bytes are counted.
    instead = {TOO_MUCH: (TOO_LONG, "xxx")}
    # libpq receives one message for as long as more of it is there, so how much that is before it returns is the sender's doing.
    single_messages = ("a row of 1 GiB", "a notice of 512 MiB", "an error of 512 MiB", "an error of 64 MiB")
    worst = ("a copy from here", "rows without end")
    reading = b"portail_get"
    markers = (b"version()", b"portail_get", b"portail_page\0\0")


if __name__ == "__main__":
    unittest.main()
