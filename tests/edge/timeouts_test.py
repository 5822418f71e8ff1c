#!/usr/bin/env python3
"""timeouts_test.py WASMTIME COMPONENT p2|p3: tests the timeouts of an adapter, with tests/edge/bodies.cpp.

The component is composed with a clock whose periods end as soon as the host is waited for, and which prints each. So nothing here takes 30 seconds,
and whatever is not there when the component waits is late. Python's standard library only.
"""

import contextlib
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402
from waiting import until  # noqa: E402

WASMTIME, COMPONENT, VERSION = sys.argv[1:4]
SECOND = 1_000_000_000  # nanoseconds
# WASI 0.2: one call of the clock for each timeout. 0.3: ticks of a second, of which the first may have been partly over.
REQUEST_TIMEOUT = [30 * SECOND] if VERSION == "p2" else 31 * [SECOND]
RESPONSE_TIMEOUT = [60 * SECOND] if VERSION == "p2" else 61 * [SECOND]


class TimeoutsTest(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-timeouts-")))
        self.server = self.enterContext(Wasmtime(WASMTIME, COMPONENT, folder / "log", "--max-instance-reuse-count", "1000"))
        self.connection = self.enterContext(self.server.connect())

    def periods(self):
        return [int(period) for period in re.findall(r"clock: (\d+) ns", self.server.output())]

    def test_a_body_that_never_arrives(self):
        self.connection.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
        self.assertEqual(self.connection.recv(4096).split(b"\r\n")[0], b"HTTP/1.1 500 Internal Server Error")
        self.assertEqual(self.periods(), REQUEST_TIMEOUT)

    def test_a_body_that_stops(self):
        self.connection.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
        self.assertEqual(self.connection.recv(4096).split(b"\r\n")[0], b"HTTP/1.1 500 Internal Server Error")
        self.assertEqual(self.periods(), REQUEST_TIMEOUT)

    def test_an_answer_that_is_not_read(self):
        self.connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        until(lambda: len(self.periods()) == len(RESPONSE_TIMEOUT), "the end of the timeout")
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while part := self.connection.recv(65536):
                received = received[-10:] + part
        self.assertFalse(received.endswith(b"\r\n0\r\n\r\n"), "the answer is complete")
        self.assertEqual(self.periods(), RESPONSE_TIMEOUT)


if __name__ == "__main__":
    if missing(WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
