#!/usr/bin/env python3
"""embedding_test.py PORTAIL MADE COMMAND...: bad input to one of wasm/examples, and how it stops. It is started as COMMAND with
`--store` and `--listen`.

Fails where the file MADE is not there. Python's standard library only.
"""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import PATIENCE, Serving  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
SETTINGS = {"PORTAIL_ISSUER": "https://issuer.invalid", "PORTAIL_AUDIENCE": "portail", "PORTAIL_TRANSPORT": "loopback"}
DRAIN = 10  # seconds that a request under way has when the server stops
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PORTAIL_")}


class EmbeddingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-embedding-")))
        cls.store, keys = cls.folder / "store", cls.folder / "keys.json"
        run = lambda *arguments: subprocess.run([PORTAIL, *arguments], check=True, capture_output=True).stdout  # noqa: E731
        run("import", "--store", f"dir:{cls.store}", FIXTURES)
        run("keys", "make", "--alg", "EdDSA", "--kid", "one", "--output", keys)
        run("keys", "public", "--input", keys, "--output", cls.store / "config.jwks")
        token = run("token", "--keys", keys, "--issuer", SETTINGS["PORTAIL_ISSUER"], "--audience", "portail",
                    "--subject", "u-0001", "--permission", "PortailClients.ObjetsCourrier.Update")
        cls.bearer = {"Authorization": f"Bearer {token.decode().strip()}"}
        cls.host = cls.enterClassContext(cls.serving(cls.store, "log"))

    @classmethod
    def serving(cls, store, log):
        return Serving([*COMMAND, "--listen", "127.0.0.1:0", "--store", store], cls.folder / log, CLEAN | SETTINGS)

    def refused(self, settings):
        ended = subprocess.run([*COMMAND, "--listen", "127.0.0.1:0", "--store", self.store], env=CLEAN | settings, text=True,
                               capture_output=True, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1)
        return ended.stderr

    def test_settings_that_make_no_sense_end_it_with_one_line(self):
        self.assertEqual(self.refused({"PORTAIL_AUDIENCE": "portail"}),
                         "no issuer: set PORTAIL_ISSUER to the iss of the tokens\n")
        self.assertEqual(self.refused(SETTINGS | {"PORTAIL_NOTHING": "1"}), "there is no setting PORTAIL_NOTHING\n")

    def test_the_key_set_is_the_stored_one(self):
        status, _, body = self.host.ask("/api/app/objet-courrier/1", self.bearer)
        self.assertEqual((status, json.loads(body)["id"]), (200, 1))

    def test_what_is_no_value_is_a_500_and_the_next_request_is_served(self):
        value, aside = self.store / "configuration", self.folder / "aside"
        shutil.move(value, aside)
        value.mkdir()
        status, _, body = self.host.ask("/api/app/objet-courrier", self.bearer)
        value.rmdir()
        shutil.move(aside, value)
        self.assertEqual((status, json.loads(body)["error"]["validationErrors"]), (500, None))
        self.assertIn("store: ", self.host.said())
        self.assertEqual(self.host.ask("/api/app/objet-courrier", self.bearer)[0], 200)

    def test_a_store_of_another_layout_is_refused(self):
        other = self.folder / "other"
        shutil.copytree(self.store, other)
        (other / "format").write_text("2")
        with self.serving(other, "other.log") as host:
            self.assertEqual(host.ask("/health/ready")[0], 503)

    def test_a_body_of_100_mb_is_refused_before_it_is_sent(self):
        for header, status in (("X: y", b"401"), (self.authorization(), b"413")):
            with begin_put(self.host, f"{header}\r\nContent-Length: 100000000\r\n\r\n{' ' * 200_000}") as connection:
                self.assertEqual(connection.recv(12), b"HTTP/1.1 " + status)
        self.assertEqual(self.host.ask("/health/live")[0], 200)

    def test_a_client_that_leaves_in_the_middle_of_a_body_changes_nothing(self):
        before = (self.store / "configuration").read_bytes()
        for framing in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"):
            begin_put(self.host, f"{self.authorization()}\r\n{framing}").close()
        self.assertEqual(self.host.ask("/health/live")[0], 200)
        self.assertEqual((self.store / "configuration").read_bytes(), before)

    def test_a_signal_ends_it_when_what_is_under_way_is_answered(self):
        body = b'{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}'
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name), self.serving(self.store, number.name) as host, keep_alive(host) as kept, \
                 self.put_under_way(host, len(body)) as connection:
                connection.sendall(body[:20])
                host.process.send_signal(number)
                wait_until_refused(host)
                self.assertFalse(is_ready(kept))
                connection.sendall(body[20:])
                answer = http.client.HTTPResponse(connection)
                answer.begin()
                self.assertEqual((answer.status, json.loads(answer.read())["typeAffectation"]), (200, "Optionnel"))
                self.assertEqual(host.process.wait(DRAIN / 2), 0)  # it waits for no connection without a request

    def test_who_does_not_go_on_is_waited_for_ten_seconds(self):
        with self.serving(self.store, "bound") as host, self.put_under_way(host, 100) as connection:
            connection.sendall(b"{")
            host.process.send_signal(signal.SIGTERM)
            wait_until_refused(host)
            with self.assertRaises(subprocess.TimeoutExpired):
                host.process.wait(DRAIN - 2)
            self.assertEqual(host.process.wait(DRAIN), 0)

    def put_under_way(self, host, size):
        """The connection of a PUT of which the server has the head, and waits for the body."""
        connection = begin_put(host, f"{self.authorization()}\r\nExpect: 100-continue\r\nContent-Length: {size}\r\n\r\n")
        with connection.makefile("rb", 0) as said:
            self.assertEqual(said.readline() + said.readline(), b"HTTP/1.1 100 Continue\r\n\r\n")
        return connection

    def authorization(self):
        return f"Authorization: {self.bearer['Authorization']}"


def begin_put(host, rest):
    """A connection on which a PUT has been begun."""
    connection = socket.create_connection(address(host), PATIENCE)
    connection.sendall("PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       f"{rest}".encode())
    return connection


def keep_alive(host):
    """A connection that has had its answer, and stays open."""
    connection = http.client.HTTPConnection(host.address, timeout=PATIENCE)
    connection.request("GET", "/health/live")
    connection.getresponse().read()
    return contextlib.closing(connection)


def is_ready(connection):
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status != 503
    except ConnectionError:  # it was closed
        return False


def wait_until_refused(host):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            socket.create_connection(address(host), PATIENCE).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:  # it waited to be accepted
            pass
        time.sleep(0.01)
    raise TimeoutError("it still accepts connections")


def address(host):
    name, port = host.address.split(":")
    return name, int(port)


if __name__ == "__main__":
    PORTAIL, MADE, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
    if missing(PORTAIL, MADE, made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
