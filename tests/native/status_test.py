"""portail status: lines for programs, a repeatedly drawn picture on a terminal."""

import fcntl
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios
import threading
import unittest

from support.engine import free_port
from support.metrics import metrics_port
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, must_run, on_terminal, run, until
from support.valkey import Valkey

METRICS = ("--metrics-listen", "127.0.0.1:0")
CLEAR = "\x1b[H\x1b[J"


class Drawn:
    """The status command on a terminal."""

    def __init__(self, port, rows=50, columns=100, **environment):
        self.terminal, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.set_blocking(self.terminal, False)
        self.process = subprocess.Popen([PROGRAM, "status", "--metrics-listen", f"127.0.0.1:{port}"], stdin=its, stdout=its, stderr=its,
                                        env=clean_environment() | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | environment)
        os.close(its)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.terminal)

    def text(self):
        """Returns the output so far."""
        try:
            self.bytes += os.read(self.terminal, 1 << 20)
        except BlockingIOError:
            pass
        except OSError as error:  # no process has the terminal open
            raise AssertionError(f"the command ended with {self.process.wait(PATIENCE)}: {self.bytes!r}") from error
        return self.bytes.decode(errors="ignore")


class StatusTest(PortailTest):
    def status(self, server, *flags, **options):
        return run("status", "--metrics-listen", f"127.0.0.1:{metrics_port(server)}", *flags, **options)

    def test_lines(self):
        auth = self.bearer()
        with Server(self.folder, "--store", "memory:", "--import", self.document(), *METRICS) as server:
            for _ in range(3):
                self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [auth]).status, 200)
            done = until(lambda: (done := self.status(server)) and "route " in done.stdout and done, "the routes")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = dict(re.match(r"(.{16}) (.*)", line).groups() for line in done.stdout.splitlines())
            self.assertEqual([name.strip() for name in lines], ["store", "keys", "certificate", "connections", "load", "host", "server",
                                                                "requests", "answered", "open files", "processors", "memory", "route"])
            said = {name.strip(): text for name, text in lines.items()}
            self.assertEqual(said["store"], "Healthy memory: answers")
            self.assertRegex(said["server"], rf"^portail \S+ at http://127\.0\.0\.1:{metrics_port(server)}, runs for [0-9]+ s$")
            self.assertRegex(said["requests"], r"^[0-9.]+ a second, 4xx 0\.0, 5xx 0\.0, shed 0\.0, limited 0\.0$")
            self.assertRegex(said["answered"], r"^p50 [0-9.]+ m?s, p99 [0-9.]+ m?s$")
            self.assertRegex(said["route"], r"^GET /api/app/objet-courrier: [0-9.]+ a second, p99 [0-9.]+ m?s$")
            file = self.write("status.toml", f'metrics-listen = ":{metrics_port(server)}"\n')
            must_run("status", "--config", file)

    def test_json(self):
        auth = self.bearer()
        with Server(self.folder, "--store", "memory:", "--import", self.document(), *METRICS) as server:
            self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [auth]).status, 200)
            done = until(lambda: (done := self.status(server, "--json")) and json.loads(done.stdout)["routes"] and done, "the routes")
            self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
            said = json.loads(done.stdout)
            self.assertEqual(list(said), ["status", "parts", "version", "runsFor", "requests", "refused", "failed", "shed", "limited",
                                          "p50", "p99", "connections", "maxConnections", "processors", "memory",
                                          "openFiles", "maxOpenFiles", "routes"])
            self.assertEqual(said["status"], "Healthy")
            self.assertEqual(said["parts"]["store"], {"status": "Healthy", "detail": "memory: answers"})
            self.assertEqual((said["refused"], said["failed"], said["maxConnections"]), (0, 0, 8192))
            self.assertGreater(said["requests"], 0)
            self.assertGreater(said["memory"], 1 << 20)
            (route,) = said["routes"]
            self.assertEqual(list(route), ["route", "requests", "p99"])
            self.assertEqual(route["route"], "GET /api/app/objet-courrier")

    def test_a_server_that_cannot_serve(self):
        with Valkey() as valkey:
            must_run("import", "--store", valkey.url, self.document())
            with Server(self.folder, "--store", valkey.url, *METRICS) as server:
                self.assertEqual(self.status(server).returncode, 0)
                valkey.stop()
                done = self.status(server)
                self.assert_one_line(done, 1, f"the server cannot serve: store: {valkey.url} cannot be read")
                self.assertIn("store            Unhealthy ", done.stdout)
                done = self.status(server, "--json")
                self.assert_one_line(done, 1, "the server cannot serve: store: ")
                self.assertEqual(json.loads(done.stdout)["status"], "Unhealthy")

    def test_no_server(self):
        port = free_port()
        self.assert_one_line(run("status", "--metrics-listen", f"127.0.0.1:{port}"), 1, f"http://127.0.0.1:{port} does not answer",
                             "--metrics-listen")
        self.assert_one_line(run("status"), 2, "--metrics-listen")
        self.assert_one_line(run("status", "--metrics-listen", "127.0.0.1:0"), 2, "--metrics-listen", "port")
        with Server(self.folder, "--store", "memory:", "--insecure-http", "--transport", "loopback", tls=False) as server:
            self.assert_one_line(run("status", "--metrics-listen", f"127.0.0.1:{server.port}"), 1, "is not a portail server")

    def test_a_server_whose_answer_does_not_end(self):
        block = 64 * 1024 * b"a"
        for name, head, piece in (("a body", b"HTTP/1.1 200 OK\r\n\r\n", block),
                                  ("chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + block + b"\r\n")):
            sent, failures = [], []

            def serve(listener):
                try:
                    with listener.accept()[0] as peer:
                        peer.settimeout(PATIENCE)
                        peer.recv(65536)
                        count = peer.send(head)
                        try:
                            while True:
                                count += peer.send(piece)
                        except ConnectionError:
                            sent.append(count)
                except OSError as error:
                    failures.append(error)
            with self.subTest(name), socket.create_server(("127.0.0.1", 0)) as listener:
                thread = threading.Thread(target=serve, args=(listener,), daemon=True)
                thread.start()
                port = listener.getsockname()[1]
                self.assert_one_line(run("status", "--metrics-listen", f"127.0.0.1:{port}"), 1, f"http://127.0.0.1:{port} does not answer")
                thread.join(PATIENCE)
                self.assertEqual((len(sent), failures), (1, []))
                self.assertLess(sent[0], 32 * 1024 * 1024)

    def test_a_picture(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            with Drawn(metrics_port(server)) as drawn:
                until(lambda: drawn.text().count(" requests ") >= 2, "it to be drawn again")
                server.ask("GET", "/health/live")
                until(lambda: "GET /health/live" in drawn.text(), "the route")
                text = drawn.text()
                for part in ("memory: answers", " health ", " routes ", " process ", "of 8192", "p99", "Healthy"):
                    self.assertIn(part, text)
                self.assertIn("\x1b[32m", text)  # green
                server.stop()
                until(lambda: "does not answer" in drawn.text(), "the end of the server")
                drawn.process.send_signal(signal.SIGINT)
                self.assertEqual(drawn.process.wait(PATIENCE), -signal.SIGINT)

    def test_a_picture_without_colours(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            with Drawn(metrics_port(server), NO_COLOR="1") as drawn:
                until(lambda: drawn.text().count(" requests ") >= 2, "it to be drawn again")
                self.assertEqual(re.findall(r"\x1b\[[0-9;]*3[0-9][0-9;]*m", drawn.text()), [])

    def test_a_picture_that_the_terminal_has_the_rows_for(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            for path in ("/health/live", "/health/ready", "/health-status", "/swagger"):
                server.ask("GET", path)
            for rows, shown, left_out in ((50, ["health", "requests", "routes", "process"], []),
                                          (24, ["health", "requests", "routes", "process"], []),
                                          (20, ["health", "requests", "process"], ["routes"]),
                                          (10, ["health"], ["requests", "routes", "process"]),
                                          (3, ["runs for"], ["health", "requests"]), (2, ["runs for"], ["health"])):
                with self.subTest(rows=rows), Drawn(metrics_port(server), rows=rows, columns=80) as drawn:
                    text = until(lambda: drawn.text().count(CLEAR) > 2 and drawn.text(), "it to be drawn again")
                    for picture in text.split(CLEAR)[1:-1]:
                        self.assertTrue(picture.startswith("portail "), picture)
                        self.assertLess(picture.count("\n"), rows)
                        for part in shown:
                            self.assertIn(f" {part} ", picture)
                        for part in left_out:
                            self.assertNotIn(f" {part} ", picture)

    def test_a_dumb_terminal_gets_lines(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            shown = on_terminal("status", "--metrics-listen", f"127.0.0.1:{metrics_port(server)}", environment={"TERM": "dumb"})
            self.assertRegex(shown, r"^store            Healthy memory: answers[^\r]*\r\n")
            self.assertNotIn("\x1b", shown)


if __name__ == "__main__":
    unittest.main()
