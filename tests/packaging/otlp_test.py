#!/usr/bin/env python3
"""The Debian package that sends spans, with the program's package in a clean Debian 13. Arguments: the program's package, its own, and the
program that makes keys. Standard library only."""

import contextlib
import http.client
import http.server
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from clean_root import BASE, CleanRoot, can_create  # noqa: E402
from needed import missing  # noqa: E402
from waiting import PATIENCE  # noqa: E402

PACKAGE, OTLP, PROGRAM = map(pathlib.Path, sys.argv[1:4])


class Collector(http.server.HTTPServer):
    """A collector, in a `with` block. `posts` are the received requests: path and JSON."""

    def __init__(self):
        self.posts = posts = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                posts.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


@unittest.skipUnless(can_create(), "only root can create a clean root")
class OtlpPackageTest(unittest.TestCase):
    def setUp(self):
        self.root = self.enterContext(CleanRoot())
        self.collector = self.enterContext(Collector())
        for command in (["make", "--output", "/srv/keys.json"], ["public", "--input", "/srv/keys.json", "--output", "/srv/public.json"]):
            subprocess.run([PROGRAM, "keys", *(self.root.path(part) if part.startswith("/") else part for part in command)], check=True,
                           capture_output=True)

    def install(self, package):
        shutil.copy(package, self.root.path("/srv/package.deb"))
        self.root.apt("install", "/srv/package.deb")

    def start(self):
        command = self.root.command(
            "portail", "serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--insecure-http", "--issuer", "https://issuer.example",
            "--audience", "portail", "--jwks", "/srv/public.json", "--otlp", f"http://127.0.0.1:{self.collector.server_port}",
            environment={"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"})
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_spans_are_sent_once_it_is_installed(self):
        self.install(PACKAGE)
        with self.start() as server:
            output = server.communicate(timeout=PATIENCE)[1]
            self.assertEqual(server.returncode, 1)
        self.assertRegex(output, "portail: --otlp needs portail-otlp.so, of the Debian package portail-otlp: ")
        self.install(OTLP)
        self.assertEqual(self.root.run("dpkg", "--verify", "portail-otlp"), "")
        with self.start() as server:
            address = re.fullmatch(r"portail: listening on http://(\S+)\n", server.stdout.readline())[1]
            with contextlib.closing(http.client.HTTPConnection(address, timeout=PATIENCE)) as connection:
                connection.request("GET", "/health/live")
                self.assertEqual(connection.getresponse().status, 200)
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=PATIENCE)
            self.assertEqual(server.returncode, 0)
        [(path, posted)] = self.collector.posts
        [span] = posted["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual((path, span["name"]), ("/v1/traces", "GET /health/live"))


if __name__ == "__main__":
    if missing(PACKAGE, OTLP, PROGRAM, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
