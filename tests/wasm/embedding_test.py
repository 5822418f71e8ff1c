#!/usr/bin/env python3
"""embedding_test.py PORTAIL MADE COMMAND...: bad input to one of wasm/examples, its writes, and how it stops. It is started as
COMMAND with `--store` and `--listen`.

Fails where the file MADE is not there. Python's standard library only.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import access_lines  # noqa: E402
import stalled_lists  # noqa: E402
from needed import missing  # noqa: E402
from no_regular_files import KINDS, remove  # noqa: E402
from portal import Portal, clean_environment  # noqa: E402
from revision import Revision  # noqa: E402
from serving import PATIENCE, Serving  # noqa: E402
from stopping import DRAIN, begin_put, pending_put, update_while_it_stops, wait_until_refused  # noqa: E402

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
SETTINGS = {"PORTAIL_ISSUER": "https://issuer.invalid", "PORTAIL_AUDIENCE": "portail", "PORTAIL_TRANSPORT": "loopback"} | access_lines.SETTINGS
REQUESTS = 16  # concurrent ones
UPDATES = 20  # of each of two hosts
LEASE_TIMEOUT = 5  # seconds


class EmbeddingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-embedding-")))
        cls.store = cls.folder / "store"
        cls.portal = Portal(PORTAIL, cls.folder, SETTINGS["PORTAIL_ISSUER"])
        cls.portal.run("import", "--store", f"dir:{cls.store}", FIXTURES)
        cls.portal.make_keys("--alg", "EdDSA", "--kid", "one")
        cls.portal.public.rename(cls.store / "config.jwks")
        cls.revision = Revision(cls.store)
        cls.bearer = cls.portal.bearer("u-0001", "--permission", "PortailClients.ObjetsCourrier.Update")
        cls.host = cls.enterClassContext(cls.serving(cls.store, "log"))

    @classmethod
    def serving(cls, store, log):
        return Serving([*COMMAND, "--listen", "127.0.0.1:0", "--store", store], cls.folder / log, clean_environment() | SETTINGS)

    def refused(self, settings, store=None):
        ended = subprocess.run([*COMMAND, "--listen", "127.0.0.1:0", "--store", store or self.store], env=clean_environment() | settings,
                               text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1)
        return ended.stderr

    def test_invalid_settings_end_it_with_one_line(self):
        self.assertEqual(self.refused({"PORTAIL_AUDIENCE": "portail"}),
                         "no issuer: set PORTAIL_ISSUER to the iss of the tokens\n")
        self.assertEqual(self.refused(SETTINGS | {"PORTAIL_NOTHING": "1"}), "unknown setting PORTAIL_NOTHING\n")

    def test_a_folder_without_a_portal_is_one_line(self):
        store = self.folder / "tpyo"
        for what in ("does not exist", "holds no portal"):
            with self.subTest(what):
                self.assertEqual(self.refused(SETTINGS, store), f"{store} {what}: `portail import --store dir:{store} DOCUMENT` makes one there\n")
                self.assertEqual(store.exists(), what == "holds no portal")
                store.mkdir(exist_ok=True)

    def test_access_lines(self):
        access_lines.check(self, self.host, self.portal, before=access_lines.lines(self.host))

    def test_the_key_set_is_the_stored_one(self):
        status, _, body = self.host.ask("/api/app/objet-courrier/1", self.bearer)
        self.assertEqual((status, json.loads(body)["id"]), (200, 1))

    def test_an_invalid_value_is_a_500_and_the_next_request_succeeds(self):
        value, aside = self.store / "configuration", self.folder / "aside"
        with self.revision.change():
            shutil.move(value, aside)
            value.mkdir()
        status, _, body = self.host.ask("/api/app/objet-courrier", self.bearer)
        with self.revision.change():
            value.rmdir()
            shutil.move(aside, value)
        self.assertEqual((status, json.loads(body)["error"]["validationErrors"]), (500, None))
        self.assertIn("store: ", self.host.output())
        self.assertEqual(self.host.ask("/api/app/objet-courrier", self.bearer)[0], 200)

    def test_a_special_file_is_a_500_and_the_next_request_succeeds(self):
        value, aside, tried = self.store / "configuration", self.folder / "aside", 0
        for kind, make in KINDS.items():
            with self.subTest(kind), concurrent.futures.ThreadPoolExecutor(REQUESTS) as clients:
                def statuses(target):
                    pending = [clients.submit(self.host.ask, target, self.bearer) for _ in range(REQUESTS)]
                    return {answer.result()[0] for answer in pending}

                with self.revision.change():
                    shutil.move(value, aside)
                    make(value)
                try:
                    self.assertEqual(statuses("/api/app/objet-courrier"), {500})
                    self.assertIn("store: ", self.host.output())
                    self.assertEqual(statuses("/health/live"), {200})
                    self.assertEqual(statuses("/api/abp/application-configuration"), {200})
                finally:
                    with self.revision.change():
                        remove(value)
                        shutil.move(aside, value)
                self.assertEqual(statuses("/api/app/objet-courrier"), {200})
                tried += 1
        self.assertEqual(tried, len(KINDS))

    def test_a_signal_ends_it_while_a_value_is_a_special_file(self):
        other = self.folder / "fifo"
        shutil.copytree(self.store, other)
        (other / "configuration").unlink()
        os.mkfifo(other / "configuration")
        with self.serving(other, "fifo.log") as host:
            self.assertEqual(host.ask("/api/app/objet-courrier", self.bearer)[0], 500)
            host.process.send_signal(signal.SIGTERM)
            self.assertEqual(host.process.wait(PATIENCE), 0)

    def test_a_store_of_another_layout_is_refused(self):
        other = self.folder / "other"
        shutil.copytree(self.store, other)
        (other / "format").write_text("2")
        with self.serving(other, "other.log") as host:
            self.assertEqual(host.ask("/health/ready")[0], 503)

    def test_a_body_of_100_mb_is_refused_before_it_is_sent(self):
        for header, status in (("X: y", b"401"), (self.authorization(), b"413")):
            with begin_put(self.host.address, f"{header}\r\nContent-Length: 100000000\r\n\r\n{' ' * 200_000}") as connection:
                self.assertEqual(connection.recv(12), b"HTTP/1.1 " + status)
        self.assertEqual(self.host.ask("/health/live")[0], 200)

    def test_a_client_that_disconnects_during_a_body_changes_nothing(self):
        before = (self.store / "configuration").read_bytes()
        for framing in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"):
            begin_put(self.host.address, f"{self.authorization()}\r\n{framing}").close()
        self.assertEqual(self.host.ask("/health/live")[0], 200)
        self.assertEqual((self.store / "configuration").read_bytes(), before)

    def test_an_update_moves_the_revision_by_two(self):
        size, before = self.revision.size(), self.files()
        for number, kind in enumerate(("Rien", "Optionnel", "Obligatoire"), 1):
            self.update(self.host, 1, kind)
            self.assertEqual(self.revision.size(), size + 2 * number)
        self.assertTrue((self.store / "~writers/lease").is_file())
        self.assertEqual({name for name in self.files() - before if not name.startswith("audit.")}, set())

    def test_the_lease_of_a_killed_writer_is_revoked(self):
        size, held = self.revision.size(), self.store / "~writers/holder/killed"
        self.revision.set(size + 1)
        held.mkdir(parents=True)
        (held / "0").write_text("its change")
        start = time.monotonic()
        self.update(self.host, 1, "Rien")
        self.assertGreaterEqual(time.monotonic() - start, LEASE_TIMEOUT)
        self.assertFalse(held.exists())
        # The killed writer's revision ended with the audit record, and that of the value followed.
        self.assertEqual(self.revision.size(), size + 4)

    def test_concurrent_updates_by_the_native_program_are_not_lost(self):
        """Both programs compare and swap one value, which has the settings of all mail objects."""
        store = self.folder / "shared"
        shutil.copytree(self.store, store)
        command = [PORTAIL, "serve", "--listen", "127.0.0.1:0", "--insecure-http", "--jwks", store / "config.jwks", "--store", f"dir:{store}"]
        with self.serving(store, "shared.log") as host, \
                Serving(command, self.folder / "native.log", clean_environment() | SETTINGS) as other:
            before = self.kinds(host)
            expected = {number: "Optionnel" if kind == "Obligatoire" else "Obligatoire" for number, kind in before.items()}
            self.assertEqual(len(expected), 2 * UPDATES)

            def update_all(server, ids):
                for number in ids:
                    self.update(server, number, expected[number])

            ids = list(expected)
            with concurrent.futures.ThreadPoolExecutor(2) as clients:
                pending = [clients.submit(update_all, host, ids[:UPDATES]), clients.submit(update_all, other, ids[UPDATES:])]
            for updates in pending:
                updates.result()  # raises the thread's exception
            self.assertEqual([self.kinds(server) for server in (host, other)], [expected, expected])

    def test_a_signal_ends_it_after_pending_requests(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number.name), self.serving(self.store, number.name) as host:
                self.assertEqual(update_while_it_stops(host.address, host.process, self.authorization(), number),
                                 (200, "Optionnel", 0))

    def test_stalled_clients_have_ten_seconds(self):
        with self.serving(self.store, "bound") as host, pending_put(host.address, self.authorization(), 100) as connection:
            connection.sendall(b"{")
            host.process.send_signal(signal.SIGTERM)
            wait_until_refused(host.address)
            with self.assertRaises(subprocess.TimeoutExpired):
                host.process.wait(DRAIN - 2)
            self.assertEqual(host.process.wait(DRAIN), 0)

    def test_stalled_clients_of_long_lists_use_bounded_memory(self):
        store, document = self.folder / "long", self.folder / "long.json"
        document.write_text(stalled_lists.document())
        self.portal.run("import", "--store", f"dir:{store}", document)
        shutil.copy(self.store / "config.jwks", store)
        bearer = self.portal.bearer(stalled_lists.SUBJECT)
        with self.serving(store, "stalled") as host:
            grown = stalled_lists.growth_by_stalled_clients(host, bearer)
            if COMMAND[0] != "java":  # which gives memory back when it likes: there the others' answers are what is tried
                self.assertLess(grown, stalled_lists.MAX_GROWTH)
            self.assertNotIn("Traceback", host.output())

    def update(self, server, number, kind):
        body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": kind})
        status, _, body = server.ask(f"/api/app/objet-courrier/{number}", self.bearer | {"Content-Type": "application/json"}, "PUT", body)
        self.assertEqual((status, json.loads(body).get("typeAffectation")), (200, kind), body)

    def kinds(self, server):
        """Returns the typeAffectation of the first mail objects by their id."""
        status, _, body = server.ask(f"/api/app/objet-courrier?MaxResultCount={2 * UPDATES}", self.bearer)
        self.assertEqual(status, 200)
        return {item["id"]: item["typeAffectation"] for item in json.loads(body)["items"]}

    def files(self):
        return {str(path.relative_to(self.store)) for path in self.store.rglob("*")}

    def authorization(self):
        return f"Authorization: {self.bearer['Authorization']}"


if __name__ == "__main__":
    PORTAIL, MADE, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]
    if missing(PORTAIL, MADE, made_by="wasm"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
