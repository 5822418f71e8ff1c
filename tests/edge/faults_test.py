#!/usr/bin/env python3
"""Tests the portal as a component over a folder with faults, while it serves.

Arguments: the native program, wasmtime, and the component over a folder. Python's standard library only.
"""

import concurrent.futures
import json
import pathlib
import re
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from no_regular_files import KINDS, remove  # noqa: E402
from portal import Portal  # noqa: E402
from revision import Revision  # noqa: E402
from serving import Wasmtime  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402

PORTAIL, WASMTIME, COMPONENT = sys.argv[1:4]
MAX_MEMORY = 64 * 1024 * 1024
LIST = "/api/app/objet-courrier"
DOCUMENT = {"objetsCourrier": [{"id": 1, "typeObjet": "RIB", "description": "Relevé d'identité bancaire",
                                "utilisablePourLiasse": True, "typeAffectation": "Obligatoire"}]}
REQUESTS = 16  # concurrent ones
UPDATE = '{"utilisablePourLiasse":false,"typeAffectation":"Rien"}'


def log_counts(server, part):
    """Returns the set of counts of `part` in the log, one for each instance that logged it: the host starts another instance while the
    first still ends a request."""
    instances = re.findall(r"(?m)^(stderr \[\d+\]) .*" + re.escape(part), server.output())
    return {instances.count(instance) for instance in instances}


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-faults-")))
        self.store = self.folder / "store"
        self.portal = Portal(PORTAIL, self.folder)
        (self.folder / "document.json").write_text(json.dumps(DOCUMENT))
        self.portal.run("import", "--store", f"dir:{self.store}", self.folder / "document.json")
        self.make_keys("one")

    def make_keys(self, kid):
        """Generates new keys, and replaces the store's key set atomically."""
        self.portal.keys = self.folder / f"{kid}.json"
        self.portal.make_keys("--alg", "EdDSA", "--kid", kid)
        self.portal.public.replace(self.store / "config.jwks")
        self.headers = self.portal.bearer("administrator", "--permission", "PortailClients.ObjetsCourrier.Update")

    def serve(self, *flags, folders=None, transport="loopback"):
        """Serves the store as /data, or other folders."""
        settings = {"PORTAIL_ISSUER": self.portal.issuer, "PORTAIL_AUDIENCE": self.portal.audience, "PORTAIL_TRANSPORT": transport}
        return Wasmtime(WASMTIME, COMPONENT, self.folder / "log", "-W", f"max-memory-size={MAX_MEMORY}", "--max-instance-reuse-count", "1000",
                        *(["--dir", f"{self.store}::/data"] if folders is None else folders), *flags, settings=settings)

    def assert_serves_nothing(self, server, reason):
        """Checks that requests for data or readiness get 503 as in the contract, and that each instance logs the reason once."""
        for _ in range(2):
            for target in ("/health/ready", "/health-status"):
                status, headers, body = server.ask(target)
                self.assertEqual((status, headers["Retry-After"], json.loads(body)["status"]), (503, "5", "Unhealthy"),
                                 server.output())
            for target in (LIST, "/api/app/liasse"):
                status, headers, body = server.ask(target, self.headers)
                self.assertEqual((status, headers["Retry-After"]), (503, "5"), server.output())
                self.assertEqual(set(json.loads(body)["error"]), {"code", "message", "details", "data", "validationErrors"})
            self.assertEqual(self.update(server), 503)
        self.assertEqual(log_counts(server, reason), {1}, server.output())
        for word in ("trap", "backtrace", "error while executing", "unreachable"):
            self.assertNotIn(word, server.output())

    def list(self, server):
        status, headers, body = server.ask(LIST, self.headers)
        self.assertTrue(headers["X-Correlation-Id"], "every answer has one")
        return status, json.loads(body)

    def update(self, server):
        return server.ask(f"{LIST}/1", self.headers | {"Content-Type": "application/json"}, "PUT", UPDATE)[0]

    def assert_serves(self, server):
        status, body = self.list(server)
        self.assertEqual((status, body["totalCount"]), (200, 1), server.output())

    def test_no_folder(self):
        with self.serve(folders=[]) as server:
            self.assert_serves_nothing(server, "/data cannot be reached: it does not exist, or the host does not preopen it")

    def test_another_folder(self):
        with self.serve(folders=["--dir", f"{self.store}::/elsewhere"]) as server:
            self.assert_serves_nothing(server, "/data cannot be reached")
        with self.serve("--env", "PORTAIL_STORE=dir:/tpyo") as server:
            self.assert_serves_nothing(server, "/tpyo cannot be reached")

    def test_a_folder_that_holds_no_portal(self):
        keys = (self.store / "config.jwks").read_text()
        other = self.folder / "other"
        other.mkdir()
        for what, flags in [("a volume that is not mounted", ["--env", f"PORTAIL_JWKS={keys}"]), ("and no key set", [])]:
            with self.subTest(what), self.serve(*flags, folders=["--dir", f"{other}::/data"]) as server:
                self.assert_serves_nothing(server, "store refused")
                self.assertIn("the store is empty: import a document first", server.output())
                self.assertEqual(list(other.iterdir()), [])
        # It is served as soon as it is filled.
        with self.serve("--env", f"PORTAIL_JWKS={keys}", folders=["--dir", f"{other}::/data"]) as server:
            self.assertEqual(self.list(server)[0], 503)
            self.portal.run("import", "--store", f"dir:{other}", self.folder / "document.json")
            self.assert_serves(server)

    def test_plain_http_is_refused(self):
        with self.serve(transport="direct") as server:
            for headers in ({}, self.headers, self.headers | {"X-Forwarded-Proto": "https"}):
                self.assertEqual(server.ask(LIST, headers)[0], 403, server.output())
            self.assertEqual(self.update(server), 403)
            self.assertEqual(server.ask("/health/ready")[0], 200, "a probe need not be secure")

    def test_a_newer_layout_is_neither_read_nor_written(self):
        (self.store / "format").write_text("2")
        with self.serve() as server:
            for _ in range(2):
                self.assertEqual(self.list(server)[0], 503)
            before = {path.name: path.read_bytes() for path in self.store.iterdir() if path.is_file()}
            self.assertEqual(self.update(server), 503)
            self.assertEqual({path.name: path.read_bytes() for path in self.store.iterdir() if path.is_file()}, before)
            self.assertEqual(server.ask("/health/ready")[0], 503)
            self.assertEqual(log_counts(server, "written by a newer version of portail"), {1}, server.output())
            with Revision(self.store).change():
                (self.store / "format").write_text("1")
            self.assert_serves(server)
            self.assertEqual(self.update(server), 200)

    def test_a_truncated_value_fails_only_requests_that_read_it(self):
        with self.serve() as server:
            self.assert_serves(server)
            whole = (self.store / "catalogue.0").read_text()
            with Revision(self.store).change():
                (self.store / "catalogue.0").write_text(whole[: len(whole) // 2])
            status, body = self.list(server)
            self.assertEqual(status, 500, server.output())
            self.assertEqual(set(body["error"]), {"code", "message", "details", "data", "validationErrors"})
            self.assertEqual(server.ask("/api/abp/application-configuration", self.headers)[0], 200)
            with Revision(self.store).change():
                (self.store / "catalogue.0").write_text(whole)
            self.assert_serves(server)

    def test_a_value_that_cannot_be_read_fails_until_it_can(self):
        with self.serve() as server:
            self.assert_serves(server)
            with Revision(self.store).change():
                (self.store / "catalogue.0").rename(self.folder / "aside")
                (self.store / "catalogue.0").mkdir()
            status, body = self.list(server)
            self.assertEqual(status, 500, server.output())
            self.assertIn("Is a directory", server.output())
            self.assertEqual(set(body["error"]), {"code", "message", "details", "data", "validationErrors"})
            with Revision(self.store).change():
                (self.store / "catalogue.0").rmdir()
                (self.folder / "aside").rename(self.store / "catalogue.0")
            self.assert_serves(server)

    def test_a_special_file_fails_only_requests_that_read_it(self):
        catalogue, aside = self.store / "catalogue.0", self.folder / "aside"
        tried = 0
        for kind, make in KINDS.items():
            with self.subTest(kind), concurrent.futures.ThreadPoolExecutor(REQUESTS) as clients:
                catalogue.rename(aside)
                make(catalogue)
                with self.serve() as server:
                    def statuses(target):
                        pending = [clients.submit(server.ask, target, self.headers) for _ in range(REQUESTS)]
                        return {answer.result()[0] for answer in pending}

                    # Before it was ever read, and where instances keep its value.
                    for _ in range(2):
                        self.assertEqual(statuses(LIST), {500}, server.output())
                        self.assertEqual(self.update(server), 500, server.output())
                        self.assertIn("move away what `portail check` names", server.output())
                        self.assertEqual(statuses("/health/live"), {200})
                        self.assertEqual(statuses("/api/abp/application-configuration"), {200})
                        with Revision(self.store).change():
                            remove(catalogue)
                            aside.rename(catalogue)
                        self.assertEqual(statuses(LIST), {200}, server.output())
                        with Revision(self.store).change():
                            catalogue.rename(aside)
                            make(catalogue)
                    server.process.send_signal(signal.SIGTERM)
                    server.process.wait(PATIENCE)
                remove(catalogue)
                aside.rename(catalogue)
                tried += 1
        self.assertEqual(tried, len(KINDS))

    def test_keys_rotate_while_it_serves(self):
        with self.serve() as server:
            self.assert_serves(server)
            old = self.headers
            # An unknown key has the stored set read again, at most once a second.
            self.make_keys("two")
            until(lambda: self.list(server)[0] == 200, "the new key")
            # Its verified tokens go with the old key. An instance that met no unknown key reads the set after 30 seconds.
            until(lambda: server.ask(LIST, old)[0] == 401, "the end of the old key")

    def test_an_unreadable_key_set_keeps_the_previous_keys(self):
        with self.serve() as server:
            self.assert_serves(server)
            old = self.headers
            self.make_keys("two")
            (self.store / "config.jwks").write_text("{")
            # The unknown key has the stored set read. A busy host may pass a request to a new instance, which has no previous keys: 503.
            until(lambda: server.ask(LIST, self.headers)[0] == 401 and "not a JWK set" in server.output(), "the set to be read")
            until(lambda: server.ask(LIST, old)[0] == 200, "an answer by the previous keys")


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)
