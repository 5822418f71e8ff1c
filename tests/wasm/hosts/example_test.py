#!/usr/bin/env python3
"""example_test.py PORTAIL HOST TARBALL: an example serves the portal's page, gets a body of 100 MB, with its length and in chunks,
and is stopped during an update. Python's standard library only.
"""

import http.client
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import example

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import stalled_lists  # noqa: E402
from needed import missing  # noqa: E402
from stopping import update_while_it_stops  # noqa: E402

SIZE, PIECE = 100_000_000, bytes(1_000_000)
MAX_GROWTH = 60_000_000  # bytes: the body is no part of it
# Clients that read nothing. workerd reads each value of a list with a separate request, which takes a second in total.
CLIENTS = {"node": 250, "deno": 250, "bun": 250, "workerd": 60}
# Max growth in bytes of the hosts that collect garbage late. Bun grows by 65 to 204 MiB, with 1000 clients no more than with 250.
COLLECTED_LATE = {"deno": 256 * 1024 * 1024, "bun": 256 * 1024 * 1024, "workerd": 256 * 1024 * 1024}
ISSUER, AUDIENCE = "https://development.invalid", "portail"
TARGET = "/api/app/objet-courrier/1"
# As tests/native/page_test.py has it.
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'")


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def send_body(address, token, chunked):
    """Returns the answer's status; None if the connection was closed while the body was sent."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if not chunked:
        headers["Content-Length"] = str(SIZE)
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request("PUT", TARGET, body=(PIECE for _ in range(SIZE // len(PIECE))), headers=headers,
                           encode_chunked=chunked)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it may have answered before
    try:
        return connection.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def exchange(address, target, headers):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", target, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def ask(address, target, token=None):
    answer, body = exchange(address, target, {"Authorization": f"Bearer {token}"} if token else {})
    return answer.status, body


def decompressed(bytes_of_brotli):
    program = "process.stdout.write(require('node:zlib').brotliDecompressSync(require('node:fs').readFileSync(0)))"
    return subprocess.run(["node", "-e", program], input=bytes_of_brotli, check=True, capture_output=True).stdout


class ExampleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-example-")))
        cls.settings, cls.token = prepare(cls.folder)
        cls.installed = example.install(HOST, TARBALL, cls.folder)

    def serve(self, name):
        return example.Server(name, HOST, self.installed, self.settings, str(self.folder / "store"), self.folder)

    @unittest.skipIf(sys.argv[2] == "workerd", "workerd itself refuses a folder that is not there")
    def test_a_folder_without_a_portal_is_one_line(self):
        store = self.folder / "tpyo"
        for what in ("does not exist", "holds no portal"):
            with self.subTest(what):
                server = example.Server("tpyo", HOST, self.installed, self.settings, str(store), self.folder)
                self.addCleanup(server.process.kill)
                self.assertEqual(server.process.wait(example.PATIENCE), 1)
                self.assertEqual(server.log.read_text(),
                                 f"portail: {store} {what}: `portail import --store dir:{store} DOCUMENT` makes one there\n")
                self.assertEqual(store.exists(), what == "holds no portal")
                store.mkdir(exist_ok=True)  # as a volume that is not mounted
                self.assertEqual(list(store.iterdir()), [])

    def test_the_page(self):
        server = self.serve("page")
        try:
            address = server.url().split("://")[1]
            page, text = exchange(address, "/", {})
            self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            self.assertEqual(page.headers["Content-Security-Policy"], POLICY)
            name = "/" + re.search(r'src="(page/main-\w+\.js)"', text.decode())[1]
            plain, script = exchange(address, name, {})
            self.assertEqual((plain.status, plain.headers["Content-Encoding"]), (200, None))
            coded, compressed = exchange(address, name, {"Accept-Encoding": "br"})
            self.assertEqual((coded.status, coded.headers["Content-Encoding"], coded.headers["Vary"]), (200, "br", plain.headers["Vary"]))
            self.assertEqual(decompressed(compressed), script)
            not_modified, nothing = exchange(address, name, {"If-None-Match": plain.headers["ETag"]})
            self.assertEqual((not_modified.status, nothing), (304, b""))
            self.assertEqual(ask(address, "/page/settings.json"), (200, b'{"signIn":null,"personas":[]}'))
        finally:
            well = server.stop()
        self.assertTrue(well)

    # Refused by the contract's 413, or the connection is closed; the host neither keeps it nor falls over.
    def test_a_body_of_100_mb(self):
        server = self.serve("large")
        try:
            address = server.url().split("://")[1]
            before = ask(address, TARGET, self.token)
            self.assertEqual(before[0], 200)
            at_first = resident(server.process)
            for chunked in (False, True):
                self.assertIn(send_body(address, self.token, chunked), (413, None))
            self.assertLess(resident(server.process) - at_first, MAX_GROWTH)
            self.assertEqual(ask(address, TARGET, self.token), before)
            self.assertEqual(ask(address, "/health/ready")[0], 200)
        finally:
            well = server.stop()
        self.assertTrue(well)

    def test_stalled_clients_of_long_lists_use_bounded_memory(self):
        store, document = self.folder / "long", self.folder / "long.json"
        document.write_text(stalled_lists.document())
        run("import", "--store", f"dir:{store}", document)
        token = token_of(self.folder, stalled_lists.SUBJECT)
        server = example.Server("stalled", HOST, self.installed, self.settings, str(store), self.folder)
        try:
            address = server.url().split("://")[1]
            grown = stalled_lists.growth_by_stalled_clients(server.process.pid, address, f"Authorization: Bearer {token}",
                                                            lambda target: ask(address, target, token), CLIENTS[HOST])
            self.assertLess(grown, COLLECTED_LATE.get(HOST, stalled_lists.MAX_GROWTH))
        finally:
            well = server.stop()
        self.assertTrue(well)

    @unittest.skipIf(sys.argv[2] == "workerd", "workerd stops as it likes: the portal knows nothing of it")
    def test_a_signal_ends_it_after_pending_requests(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name):
                server = self.serve(number.name)
                self.addCleanup(server.process.kill)
                status, _, ended = update_while_it_stops(server.url().split("://")[1], server.process,
                                                         f"Authorization: Bearer {self.token}", number)
                self.assertEqual((status, ended), (503 if HOST == "deno" else 200, 0))  # Deno takes such a body away


def run(*arguments):
    return subprocess.run([PORTAIL, *arguments], check=True, capture_output=True, text=True).stdout


def token_of(folder, subject):
    return run("token", "--keys", folder / "keys.json", "--issuer", ISSUER, "--audience", AUDIENCE, "--lifetime", "3600",
               "--subject", subject).strip()


def prepare(folder):
    """The settings, and an administrator's token."""
    keys, public = folder / "keys.json", folder / "public.json"
    run("keys", "make", "--alg", "EdDSA", "--kid", "sample", "--output", keys)
    run("keys", "public", "--input", keys, "--output", public)
    run("import", "--store", f"dir:{folder / 'store'}", example.CHECKOUT / "fixtures" / "portail.json")
    token = token_of(folder, "sub-administrateur-1")
    return {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": public.read_text(),
            "PORTAIL_TRANSPORT": "loopback"}, token


if __name__ == "__main__":
    PORTAIL, HOST, TARBALL = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    if missing(PORTAIL, TARBALL, example.COMMANDS[HOST][0], made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
