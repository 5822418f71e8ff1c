#!/usr/bin/env python3
"""fastly_test.py PORTAIL VICEROY COMPONENTS [CLASS]: the modules of Fastly Compute in Viceroy, over the values of the sample portal: settings,
keys, log and calls of the platform. Standard library only."""

import http.client
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from costs import MORE_CALLS  # noqa: E402
from key_provider import KeyFetching, KeyProvider  # noqa: E402
from needed import missing  # noqa: E402
from portal import Portal, small_portal  # noqa: E402
from serving import Viceroy  # noqa: E402
from waiting import until  # noqa: E402

PORTAIL, VICEROY, COMPONENTS, *CLASSES = sys.argv[1:]
PUBLIC, MANAGEMENT = (pathlib.Path(COMPONENTS, f"{name}.wasm") for name in ("portail-fastly", "portail-manage-fastly"))
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
PAGE = "/api/app/objet-courrier"
BODY = json.dumps({"utilisablePourLiasse": True, "typeAffectation": "Obligatoire"})
JSON = {"Content-Type": "application/json"}
# At most so many calls for each answer: all, and the lookups of values. Of the others, 11 are lookups of settings, without those that only a
# URL of keys needs. A request has the headers Host and Accept-Encoding, and Authorization if it has a token.
CALLS = {
    ("GET", "/health/live", None): (33, 0),
    ("GET", "/api/app/unknown", "client"): (36, 0),
    ("GET", f"{PAGE}/1", "client"): (50, 3),
    ("GET", PAGE, "client"): (50, 3),
    ("GET", "/api/app/liasse", "client"): (97, 13),
    ("GET", "/api/app/liasse/L-2024-0002", "client"): (80, 10),
    ("GET", f"{PAGE}/1/fichier-modele", "client"): (51, 3),
    ("PUT", f"{PAGE}/1", "client"): (63, 4),
    ("PUT", f"{PAGE}/1", "administrator"): (79, 6),
}


def values_of(folder):
    return [file for file in folder.iterdir() if file.is_file()]


class FastlyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-fastly-")))
        cls.portal = Portal(PORTAIL, cls.folder)
        cls.portal.make_keys("--alg", "EdDSA")
        cls.portal.run("import", "--store", f"dir:{cls.folder / 'data'}", FIXTURES / "portail.json")
        cls.client = cls.portal.bearer("sub-client-1")
        cls.administrator = cls.portal.bearer("sub-administrateur-1", "--permission", "PortailClients.Administration")

    def serve(self, settings=(), module=PUBLIC, **options):
        options = {"values": values_of(self.folder / "data")} | options
        return Viceroy(VICEROY, module, self.folder / "log", {"portail": self.portal.settings | dict(settings)}, **options)

    def test_a_write_is_read_by_the_next_instance(self):
        with self.serve() as server:
            status, headers, before = server.ask(f"{PAGE}/1", self.client)
            self.assertEqual(status, 200)
            known = {"If-Match": headers["ETag"]}
            changed = json.dumps({"utilisablePourLiasse": False, "typeAffectation": "Rien"})
            self.assertEqual(server.ask(f"{PAGE}/1", self.administrator | JSON | known, "PUT", changed)[0], 200)
            self.assertNotEqual(server.ask(f"{PAGE}/1", self.client)[2], before)
            self.assertEqual(server.ask(f"{PAGE}/1", self.administrator | JSON | known, "PUT", changed)[0], 412)

    def test_a_template_file_is_streamed(self):
        """One over 256 KiB has several values, and its answer several pieces. If a value is missing, the client detects it."""
        content = bytes(range(256)) * 4096
        source = self.folder / "large"
        source.mkdir()
        (source / "a.pdf").write_bytes(content)
        (source / "portail.json").write_text(json.dumps({"objetsCourrier": [
            {"id": 1, "typeObjet": "RIB", "description": "RIB", "utilisablePourLiasse": True, "typeAffectation": "Rien",
             "fichierModele": {"nomFichier": "a.pdf", "chemin": "a.pdf", "type": "application/pdf"}}]}), encoding="utf-8")
        self.portal.run("import", "--store", f"dir:{source / 'data'}", source / "portail.json")
        values = values_of(source / "data")
        with self.serve(values=values) as server:
            status, headers, body = server.ask(f"{PAGE}/1/fichier-modele", self.client)
            self.assertEqual((status, headers["Transfer-Encoding"], headers["Content-Length"], body == content), (200, "chunked", None, True))
        last = max(file for file in values if file.name.startswith("modele.1."))
        with self.serve(values=[file for file in values if file != last]) as server, self.assertRaises(http.client.IncompleteRead):
            server.ask(f"{PAGE}/1/fichier-modele", self.client)

    def test_a_head_has_the_length_of_the_answer(self):
        with self.serve() as server:
            length = len(server.ask(PAGE, self.client)[2])
            status, headers, body = server.ask(PAGE, self.client, "HEAD")
            self.assertEqual((status, headers["Content-Length"], body), (200, str(length), b""))

    def pseudonyms(self, server):
        """Returns those of two refusals."""
        for _ in range(2):
            self.assertEqual(server.ask(f"{PAGE}/1", self.client | JSON, "PUT", BODY)[0], 403)
        return re.findall(r'"access":"refused".*"subject":"([^"]+)"', server.output())

    def test_secret_settings_are_in_the_secret_store(self):
        """The config store precedes it, unless its item is empty."""
        secrets = {"portail": {"PORTAIL_LOG_KEY": "a key of the pseudonyms", "PORTAIL_TENANT": "not-a-secret"}}
        with self.serve(secrets=secrets) as server:
            kept = self.pseudonyms(server)
        with self.serve({"PORTAIL_LOG_KEY": ""}, secrets=secrets) as server:
            self.assertEqual(self.pseudonyms(server), kept)
        with self.serve({"PORTAIL_LOG_KEY": "another key of the pseudonyms"}, secrets=secrets) as server:
            other = self.pseudonyms(server)
        with self.serve() as server:
            random = self.pseudonyms(server)
        self.assertEqual((len(set(kept)), len(set(other)), len(set(random)), len({*kept, *other, *random})), (1, 1, 2, 4))

    def assert_not_serving(self, server, reason):
        with server:
            self.assertEqual(server.ask(PAGE, self.client)[0], 503)
            self.assertEqual(server.ask("/health/ready")[0], 503)
        self.assertIn(f'"event":"not serving","detail":"{reason}', server.output())
        self.assertIn('portail :: {"time":"', server.output())

    def test_a_reason_not_to_serve_is_logged(self):
        self.assert_not_serving(self.serve({"PORTAIL_LEEWAY": "x"}), "PORTAIL_LEEWAY must be")
        self.assert_not_serving(self.serve(values=None), r'the KV store \"portail\" cannot be opened: link it to the service under this name')
        self.assert_not_serving(self.serve({"PORTAIL_STORE": "bucket:other"}), r'the KV store \"other\" cannot be opened')
        self.assert_not_serving(self.serve({"PORTAIL_STORE": "dir:/data"}), "PORTAIL_STORE must be bucket:NAME")
        self.assert_not_serving(Viceroy(VICEROY, PUBLIC, self.folder / "log", {}, values=[]), "no issuer: set PORTAIL_ISSUER")

    def test_an_empty_store_is_not_ready(self):
        with self.serve(values=[]) as server:
            self.assertEqual([server.ask(target, self.client)[0] for target in ("/health/live", "/health/ready", PAGE)], [200, 503, 503])

    def test_a_backend_that_is_missing_is_named(self):
        with KeyProvider() as provider:
            provider.publish(self.portal)
            with self.serve({"PORTAIL_JWKS": f"{provider.url}/keys"}) as server:
                self.assertEqual(server.ask(PAGE, self.client)[0], 503)
            self.assertIn("the service needs a backend with the name 127.0.0.1", server.output())
            self.assertEqual(provider.requests, [])

    def test_the_management_interface(self):
        manager = self.portal.bearer("operator", "--permission", "PortailClients.Administration")
        document = self.folder / "small.json"
        document.write_text(json.dumps(small_portal(bundles=40)), encoding="utf-8")
        self.portal.run("import", "--store", f"dir:{self.folder / 'small'}", document)
        with self.serve(module=MANAGEMENT, values=[]) as server:
            self.assertEqual(server.ask("/manage/import", manager | JSON, "POST", document.read_bytes())[0], 200)
            status, _, exported = server.ask("/manage/export", manager)
            self.assertEqual((status, exported.decode()), (200, self.portal.run("export", "--store", f"dir:{self.folder / 'small'}")))
            self.assertEqual(server.ask("/manage/status", self.client)[0], 403)

    def trace(self, method, target, headers, **options):
        """Returns the status of a request, and Viceroy's trace of it."""
        with self.serve(trace="error,viceroy_lib=trace", **options) as server:
            status = server.ask(target, headers, method, BODY if method == "PUT" else None)[0]
            until(lambda: "request completed in" in server.output(), "the end of the instance")
            return status, server.output()

    def calls(self, *request, **options):
        """Returns the calls of an answer, as "module function"."""
        status, trace = self.trace(*request, **options)
        self.assertLess(status, 500)
        return [" ".join(call) for call in re.findall(r'wiggle abi\{module="fastly_([a-z_]+)" function="([a-z0-9_]+)"\}: result=', trace)]

    def test_the_calls_of_each_route(self):
        for (method, target, persona), expected in CALLS.items():
            headers = {"client": self.client, "administrator": self.administrator, None: {}}[persona]
            with self.subTest(f"{method} {target} {persona}"):
                calls = self.calls(method, target, headers | (JSON if method == "PUT" else {}))
                self.assertGreater(len(calls), 20)
                self.assertLessEqual(len(calls), expected[0] + MORE_CALLS, calls)
                self.assertLessEqual(calls.count("kv_store lookup"), expected[1], calls)

    def test_the_settings_are_within_the_limit(self):
        """Also all of the management interface, with secrets, one of which is the URL of keys, which are fetched within the request."""
        with KeyProvider() as provider:
            provider.publish(self.portal)
            url = f"{provider.url}/keys"
            secrets = {"portail": {"PORTAIL_LOG_KEY": "a key of the pseudonyms", "PORTAIL_JWKS": url}}
            for module, target, expected in ((PUBLIC, PAGE, 17), (MANAGEMENT, "/manage/status", 20)):
                calls = self.calls("GET", target, self.client, settings={"PORTAIL_JWKS": ""}, module=module, backends=[url], secrets=secrets)
                self.assertEqual(calls.count("http_req send_async_v2"), 1, calls)
                self.assertEqual(calls.count("config_store get") + calls.count("secret_store get"), expected, calls)

    def test_a_swap_names_the_generation(self):
        status, trace = self.trace("PUT", f"{PAGE}/1", self.administrator | JSON)
        self.assertEqual(status, 200)
        masks = re.findall(r'kv_store" function="insert"\}: .* insert_config_mask=KvInsertConfigOptions\((.*?)\) ', trace)
        self.assertIn("IF_GENERATION_MATCH", masks)


class KeysTest(KeyFetching, unittest.TestCase):
    program = PORTAIL
    swaps = False  # those of Viceroy have two steps: instances can fetch concurrently
    of_host = {"/"}  # at its start, Viceroy asks each backend whether it is up

    def serve(self, settings):
        return Viceroy(VICEROY, PUBLIC, self.folder / "log", {"portail": settings}, values=values_of(self.new_store()),
                       backends=[settings["PORTAIL_JWKS"]])


if __name__ == "__main__":
    if missing(PORTAIL, VICEROY, PUBLIC, MANAGEMENT, made_by="test --full"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], *CLASSES], verbosity=2)
