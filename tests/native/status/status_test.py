"""portail status: printed once, repeatedly, and as JSON."""

import json
import re
import signal
import socket
import subprocess
import threading
import unittest

from support.engine import free_port
from support.metrics import metrics_port
from support.program import PATIENCE, PROGRAM, PortailTest, Server, clean_environment, must_run, run, until
from support.valkey import Valkey

METRICS = ("--metrics-listen", "127.0.0.1:0")


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
        for watch in ("0", "-5"):
            self.assert_one_line(run("status", "--metrics-listen", "127.0.0.1:1", "--watch", watch), 2, "--watch must be at least 1 second")
        for command in ("status", "export", "audit"):
            self.assert_one_line(run(command, "--client-key", "key.pem"), 2, "--client-key needs --to")
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

    def watch(self, server):
        """Starts `portail status --watch 1`."""
        process = subprocess.Popen([PROGRAM, "status", "--metrics-listen", f"127.0.0.1:{metrics_port(server)}", "--watch", "1"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(process.communicate, timeout=PATIENCE)
        self.addCleanup(process.kill)
        return process

    def test_printed_again(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            process = self.watch(server)
            for _ in range(2):
                self.assertRegex(process.stdout.readline(), r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                while not process.stdout.readline().startswith("memory "):
                    pass
            server.ask("GET", "/health/live")
            while not process.stdout.readline().startswith("route            GET /health/live: "):
                pass
            unread = self.watch(server)
            unread.stdout.close()
            self.assertEqual((unread.wait(PATIENCE), unread.stderr.read()), (1, ""))
            server.stop()
            self.assertIn(" does not answer ", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
