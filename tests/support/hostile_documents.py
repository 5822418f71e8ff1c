"""Hostile requests to the management interface, which every host refuses with a clear error, and which change nothing. Standard library
only. The faults of documents are in tests/unit/exchange (refusals_test.cpp, element_reader_test.cpp)."""

import contextlib
import http.client
import json
import pathlib
import time

from management import JSON
from portal import bundle
from waiting import PATIENCE, until
from workers import Worker

DOCUMENT = "document"
TRUNCATED = "the document ends too early (line 1)"
TIME = "must be 2026-01-31 or 2026-01-31T08:00:00%2B01:00"
OBJECT = "object must be the id of a mail object"
ACTION = "action must be update, replace-configuration, grants, import, import-outcome, keys, template-file, erasure or call"
MEDIA_TYPE = "Content-Type must be application/json, without Content-Encoding"
MALFORMED_TARGET = "The target of the request is malformed!"

# Elements of a valid document.
MAIL_OBJECT = {"id": 9, "typeObjet": "NEUF", "description": "Pièce", "utilisablePourLiasse": True, "typeAffectation": "Rien"}
TEMPLATE = {"nomFichier": "modèle.pdf", "chemin": "a.pdf", "type": "application/pdf"}
THIRD_PARTY = {"numeroTiers": "T9", "nomTiers": "Durand", "prenomTiers": "Chloé", "utilisateurs": ["sub-client"], "gestionnaires": []}
PIECE = {"id": "3f2504e0-4f89-41d3-9a0c-0305e82c3309", "objetCourrier": 1, "statut": "Attendu", "motif": None, "dateDepot": None}
BUNDLE = bundle(id="L-9", montantOpportunite=1, piecesAttendues=[PIECE])
GRANT = {"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}


class HostileDocumentTests:
    """A mixin of unittest.TestCase, beside management.ManagementTests. A host provides
    - malformed, its answer to malformed HTTP/1.1: the status, and the message or None,
    - malformed_chunks, the statuses of its answers to malformed chunks,
    - after_trailers, its answer to trailers that would change the framing or the media type, which are ignored or refused,
    - after_the_body, its answer to a body with further bytes after its length,
    - body_timeout, the seconds in which the next 64 KiB of a body must arrive."""

    malformed_chunks = (400,)
    after_trailers = (422, "droits: the section is empty, so --prune would remove all stored elements; to allow this, give --yes (over HTTP: "
                           "allowEmptySections=true)")
    after_the_body = (422, f"{DOCUMENT}: {TRUNCATED}")

    @contextlib.contextmanager
    def filled(self, **options):
        """A server with a small document and a template file. At the end its store must be unchanged."""
        with self.start(**options) as server:
            self.assertEqual(self.ask(server, "PUT", "template-files/1", b"%PDF")[0], 200)
            document = json.loads(pathlib.Path(self.document()).read_text(encoding="utf-8"))
            document["objetsCourrier"][0]["fichierModele"] = TEMPLATE
            document["droits"] = [GRANT]
            self.good = json.dumps(document, ensure_ascii=False).encode()
            self.assertEqual(self.ask(server, "POST", "import", self.good, JSON)[0], 200)
            before = self.stored(server)
            yield server
            self.assertEqual(self.stored(server), before)
            # An import that the host has answered may still end.
            until(lambda: self.ask(server, "POST", "import", self.good, JSON)[0] == 200, "the lock is free", 2 * PATIENCE)

    def stored(self, server):
        counts = self.ask(server, "GET", "check")[1]
        del counts["auditRecords"]  # of calls too
        return [counts, self.changes(server), *(self.ask_raw(server, "GET", target) for target in ("export", "template-files/1"))]

    def faults(self, server, body):
        """Sends an import that must be refused; returns its faults."""
        body = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        status, report = self.ask(server, "POST", "import", body, JSON)
        self.assertEqual(status, 422, (body[:200], report))
        self.assertEqual((report["dryRun"], report["faultCount"] > 0), (False, True))
        return report["faults"]

    def assert_fault(self, server, body, location, fault):
        self.assertEqual(self.faults(server, body)[0], f"{location}: {fault}", body[:200] if isinstance(body, bytes) else body)

    def test_wrong_types(self):
        """Each member of each element gets a value of every other type."""
        with self.filled() as server:
            values = {str: "text", bool: True, int: 7, list: [[]], dict: {"a": 1}, type(None): None}
            tried = 0
            for section, element in (("objetsCourrier", MAIL_OBJECT | {"fichierModele": TEMPLATE}), ("tiers", THIRD_PARTY), ("liasses", BUNDLE),
                                     ("droits", GRANT)):
                for name, good in element.items():
                    for kind, value in values.items():
                        if kind is type(good) or (name, kind) == ("fichierModele", type(None)):
                            continue
                        fault = self.faults(server, {section: [element | {name: value}]})[0]
                        self.assertRegex(fault, rf"^{section}\[0\](\.{name}(\[0\])?: (must be |unknown member )|: must have exactly one of )")
                        tried += 1
                for value in (None, True, 1, "x", []):
                    self.assert_fault(server, {section: [value]}, f"{section}[0]", "must be an object")
                for value in (None, True, 1, "x", {}):
                    self.assert_fault(server, {section: value}, section, "must be an array (line 1)")
            self.assertEqual(tried, 104)

    def test_ids_of_template_files(self):
        with self.filled() as server:
            for id_, shown in (("-1", "-1"), ("1.0", "1.0"), ("9007199254740992", "9007199254740992"), ("%D9%A1", "١"), ("+1", "+1"), ("1%20", "1 "),
                               ("0x1", "0x1"), ("%22%5C%0A", '"\\\n')):
                for method, body in (("PUT", b"a"), ("GET", None)):
                    self.assertEqual(self.message(self.ask(server, method, f"template-files/{id_}", body)),
                                     (404, f'"{shown}" is not the id of a mail object: an integer from 0 on'))
            for id_ in ("..%2f..%2fetc%2fpasswd", "%00", "%FF", "%C0%AF", "%2e%2e"):
                self.assertEqual(self.message(self.ask(server, "PUT", f"template-files/{id_}", b"a")), (400, MALFORMED_TARGET))
            for id_ in ("1/x", ""):
                self.assertEqual(self.message(self.ask(server, "PUT", f"template-files/{id_}", b"a")), (404, "There is no such endpoint!"))

    def test_codings_and_media_types(self):
        with self.filled() as server:
            for headers in ({}, {"Content-Type": ""}, {"Content-Type": "*/*"}, {"Content-Type": "text/plain"}, {"Content-Type": "application/jsonx"},
                            {"Content-Type": "application/json;charset=utf-16"}, {"Content-Type": "application/json, text/plain"},
                            JSON | {"Content-Encoding": "gzip"}, JSON | {"Content-Encoding": "br"}, JSON | {"Content-Encoding": "unknown"},
                            JSON | {"Content-Encoding": "gzip, identity"}):
                for method, target in (("POST", "import"), ("PUT", "keys")):
                    self.assertEqual(self.message(self.ask(server, method, target, self.good, headers)), (415, MEDIA_TYPE), headers)
            self.assertEqual(self.message(self.ask(server, "PUT", "template-files/1", b"a", {"Content-Encoding": "gzip"})),
                             (415, "Content-Encoding must be absent"))

    def test_garbage_as_keys(self):
        with self.filled() as server:
            for part, bodies in (("no JSON value", (b"",)),
                                 ('it has no "keys" array; a single key is written {"keys":[KEY]}', (b"null", b"[]", b"{}", b'{"keys":1}')),
                                 ("not valid UTF-8", (b'{"keys":[],"\xff":1}',)),
                                 ("malformed JSON", (b"[" * 1000, b'{"keys":' + b"[" * 100_000, b"a" * 262_144)),
                                 ("a JSON object with the same name twice", (b'{"keys":[],"keys":[]}',))):
                for body in bodies:
                    self.assertEqual(self.message(self.ask(server, "PUT", "keys", body, JSON)),
                                     (422, f"the key set cannot be used: not a JWK set: {part}"), body[:80])
            for body in (b'{"keys":[1]}', b'{"keys":[{}]}', b'{"keys":[{"kid":"\xff"}]}', b'{"keys":[{"e":1e999}]}',
                         b'{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"a"}]}'):
                self.assertEqual(self.message(self.ask(server, "PUT", "keys", body, JSON)), (422, "no key of the set is usable"), body)
            self.assertEqual(self.message(self.ask(server, "PUT", "keys", b"a" * 262_145, JSON)), (413, "the key set is larger than 262144 bytes"))
            self.assertEqual(self.ask(server, "GET", "status")[1]["usableKeys"], 1)

    def test_garbage_as_filters(self):
        with self.filled() as server:
            times = ("x", "2026-02-30", "2026-01-31T25:00:00Z", "9999999-01-01", "2026-01-31T08:00:00", "2026-01-31T08:00:00%2B25:00",
                     "0000-00-00", "%00", "%ff")
            for name, message, values in (("since", f"since {TIME}", times), ("until", f"until {TIME}", times),
                                          ("%73ince", f"since {TIME}", ("x",)),
                                          ("object", OBJECT, ("-1", "1e3", "1.0", "9007199254740992", "9" * 400, "%00", "%ff")),
                                          ("action", ACTION, ("IMPORT", "%ff", "a" * 3000, "import%00"))):
                for value in values:
                    query = f"{name}={value}"
                    self.assertEqual(self.message(self.ask(server, "GET", f"audit?{query}")), (400, message), query[:80])
            for query in ("subject=%ff", "subject=" + "a" * 3000, "subject=%00", "correlationId=%27%3B--", "client=%22", "object=0"):
                self.assertEqual(self.ask_raw(server, "GET", f"audit?{query}"), (200, b""), query[:80])

    def head(self, *lines, method="POST", target="import"):
        return "\r\n".join((f"{method} /manage/{target} HTTP/1.1", "Host: portail.test", f"Authorization: Bearer {self.administrator}",
                            "Content-Type: application/json", "Connection: close", *lines, "", "")).encode()

    def answer_to(self, server, data):
        """Sends bytes on a connection of their own; returns the status and the message or first fault of the answer, None without one."""
        connection = self.connect(server)
        connection.connect()
        with contextlib.closing(connection):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the answer may come before the end of the data
                connection.sock.sendall(data)
            answer = http.client.HTTPResponse(connection.sock)
            answer.begin()
            body = answer.read()
        try:
            content = json.loads(body)
        except ValueError:
            return answer.status, None
        return answer.status, content["error"]["message"] if "error" in content else content["faults"][0]

    def test_lengths_that_lie(self):
        with self.filled() as server:
            for lines in (("Content-Length: -1",), ("Content-Length: x",), ("Content-Length: +5",), ("Content-Length: 0x10",),
                          ("Content-Length: 5", "Content-Length: 6"),
                          ("Transfer-Encoding: gzip",)):
                self.assertEqual(self.answer_to(server, self.head(*lines) + self.good), self.malformed, lines)
            # The rest of the body is not part of the document.
            self.assertEqual(self.answer_to(server, self.head("Content-Length: 10") + self.good), self.after_the_body)

    def test_malformed_chunks(self):
        with self.filled() as server:
            chunk, head = b'd\r\n{"droits":[]}\r\n', self.head("Transfer-Encoding: chunked")
            for body in (b"xyz\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n", b'5\r\n{"droits":[]}\r\n0\r\n\r\n',
                         chunk + b"0\r\nX: " + b"y" * 100_000 + b"\r\n\r\n"):
                self.assertIn(self.answer_to(server, head + body)[0], self.malformed_chunks, body[:40])
            trailers = b"0\r\nContent-Encoding: gzip\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n"
            self.assertEqual(self.answer_to(server, head.replace(b"import", b"import?prune=true", 1) + chunk + trailers),
                             self.after_trailers)

    def test_a_declared_length_over_the_limit(self):
        with self.filled(max_document=1) as server:
            expected = (413, "the document is larger than 1048576 bytes: send it in parts, or raise the setting manage-max-document")
            self.assertEqual(self.answer_to(server, self.head("Content-Length: 1048577")), expected)
            self.assertEqual(self.answer_to(server, self.head("Content-Length: 1000000000000", "Expect: 100-continue")), expected)
            self.assertEqual(self.answer_to(server, self.head("Content-Length: 10000000000000000000")), expected)

    def test_connections_cut_within_the_body(self):
        with self.filled() as server:
            document = json.dumps({"tiers": [THIRD_PARTY], "liasses": [BUNDLE], "droits": []}).encode()
            for end in range(0, len(document), len(document) // 20):
                connection = self.connect(server)
                connection.connect()
                connection.sock.sendall(self.head(f"Content-Length: {len(document)}") + document[:end])
                connection.close()

    def test_a_connection_cut_during_the_import(self):
        """The import ends, or leaves what an interrupted one leaves: the same request completes it."""
        with self.start() as server:
            document = json.loads(pathlib.Path(self.document(bundles=3000)).read_text(encoding="utf-8"))
            body = json.dumps(document).encode()
            connection = self.connect(server)
            connection.connect()
            connection.sock.sendall(self.head(f"Content-Length: {len(body)}") + body)
            until(lambda: self.ask(server, "GET", "status")[1]["format"] == "current", "the import has begun")
            connection.close()
            # A host that does not notice the cut keeps the lock until it expires.
            until(lambda: self.ask_raw(server, "POST", "import", body, JSON)[0] == 200, "the lock is free", 2 * PATIENCE)
            exported = json.loads(self.ask_raw(server, "GET", "export")[1])
            self.assertEqual(exported["liasses"], document["liasses"])
            self.assertEqual(self.ask(server, "POST", "import", body, JSON)[1]["sections"]["liasses"],
                             {"added": 0, "changed": 0, "unchanged": 3000, "removed": 0})

    def test_a_slow_body_is_cut_off(self):
        with self.filled() as server:
            connection = self.connect(server)
            connection.connect()
            began = time.monotonic()
            with contextlib.closing(connection):
                # Ends after the time limit, whatever comes meanwhile; the answer is 408, or absent.
                connection.sock.sendall(self.head("Content-Length: 1000000") + b" " * 70_000)
                with contextlib.suppress(OSError):
                    while time.monotonic() < began + 60:
                        connection.sock.sendall(b" ")
                        time.sleep(0.5)
                self.assertGreater(time.monotonic(), began + self.body_timeout - 1)
                self.assertLess(time.monotonic(), began + self.body_timeout + 10)

    def test_concurrent_imports_all_succeed_or_are_refused(self):
        with self.start() as server:
            document = self.document(bundles=200)
            answers = []
            workers = [Worker(lambda: answers.append(self.send(server, document))) for _ in range(4)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            self.assertEqual(len(answers), 4)
            self.assertIn(200, {status for status, _ in answers})
            for status, answer in answers:
                if status != 200:
                    self.assertEqual(status, 409)
                    self.assertRegex(answer["error"]["message"], "another import (is running|has just begun)")
            self.assertEqual(self.ask(server, "GET", "check")[1]["bundles"], 200)
