"""The tests of the management interface that every host passes. Standard library only."""

import json
import os
import pathlib
import shutil
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
DESCRIPTION = ROOT / "core/management/open_api.json"
JSON = {"Content-Type": "application/json"}
ADMINISTRATION = ("--permission", "PortailClients.Administration")


def record(method, target, answer, body):
    """Appends the exchange to the file of TEST_MANAGEMENT_RECORD, if it is set, for tests/description/check_exchanges.py."""
    if name := os.environ.get("TEST_MANAGEMENT_RECORD"):
        exchange = {"method": method, "target": target, "status": answer.status, "headers": answer.getheaders()}
        if answer.getheader("Content-Type", "").startswith("application/json"):
            exchange["body"] = body.decode()
        with open(name, "a", encoding="utf-8") as file:
            file.write(json.dumps(exchange) + "\n")


class ManagementTests:
    """A mixin of unittest.TestCase. A host provides
    - start(max_document=None, subjects=None): a context manager of a server whose store is empty,
    - connect(server): a connection of http.client to its management interface,
    - native_export(server), native_audit(server): what the native program exports, and lists as JSON lines, from the server's store,
    - token(subject, *flags), written(name, text), and document(...), which return a token, and paths,
    - administrator, a token with the permission, and public_keys, the path of the key set."""

    def ask_raw(self, server, method, target, body=None, headers=None, token=None):
        """Returns the status and the bytes of the body."""
        answer, data = self.exchange(server, method, target, body, headers, token)
        return answer.status, data

    def exchange(self, server, method, target, body=None, headers=None, token=None):
        """Returns http.client's answer, and the bytes of the body."""
        connection = self.connect(server)
        bearer = {} if token == "" else {"Authorization": f"Bearer {token or self.administrator}"}
        connection.request(method, f"/manage/{target}", body, bearer | (headers or {}))
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.assertEqual(answer.getheader("Cache-Control"), "no-store")
        record(method, f"/manage/{target}", answer, data)
        return answer, data

    def ask(self, *arguments, **options):
        """Returns the status and the body, as JSON where it is JSON."""
        status, data = self.ask_raw(*arguments, **options)
        try:
            return status, json.loads(data)
        except ValueError:
            return status, data

    def message(self, answer):
        status, body = answer
        return status, body["error"]["message"]

    def send(self, server, document, query="", ask=None):
        with open(document, "rb") as file:
            return (ask or self.ask)(server, "POST", f"import{query}", file.read(), JSON)

    def test_a_document_is_imported_and_exported(self):
        folder = FIXTURES
        with self.start() as server:
            document = json.loads((folder / "portail.json").read_text(encoding="utf-8"))
            files = {each["id"]: each["fichierModele"]["chemin"] for each in document["objetsCourrier"] if each.get("fichierModele")}
            self.assertEqual(len(files), 6)
            status, report = self.send(server, folder / "portail.json")
            self.assertEqual((status, report["faultCount"]), (422, 6))
            self.assertRegex(report["faults"][0], r"^objetsCourrier\[\d+\]\.fichierModele\.chemin: no template file was sent: "
                             rf"PUT /manage/template-files/{next(iter(files))} first$")
            for number, path in files.items():
                status, stored = self.ask(server, "PUT", f"template-files/{number}", (folder / path).read_bytes())
                self.assertEqual((status, stored["objetCourrier"], stored["size"]), (200, number, (folder / path).stat().st_size))
            status, report = self.send(server, folder / "portail.json", "?dryRun=true")
            self.assertEqual((status, report["dryRun"], report["sections"]["liasses"]["added"]), (200, True, 1000))
            for call in ("export", "check"):
                self.assertEqual(self.message(self.ask(server, "GET", call)), (409, "the store is empty: import a document first"))
            status, report = self.send(server, folder / "portail.json")
            self.assertEqual((status, report["dryRun"], report["sections"]["liasses"]["added"], report["sections"]["objetsCourrier"]["added"]),
                             (200, False, 1000, 40))
            counts = self.ask(server, "GET", "check")[1]
            self.assertEqual({name: counts[name] for name in ("format", "mailObjects", "templateFiles", "thirdParties", "bundles", "grants")},
                             {"format": "current", "mailObjects": 40, "templateFiles": 6, "thirdParties": 200, "bundles": 1000, "grants": 4})
            number, path = next(iter(files.items()))
            self.assertEqual(self.ask(server, "GET", f"template-files/{number}"), (200, (folder / path).read_bytes()))
            self.assertEqual(self.send(server, folder / "portail.json")[1]["sections"]["liasses"],
                             {"added": 0, "changed": 0, "unchanged": 1000, "removed": 0})  # with the stored template files
            self.assertEqual(self.ask_raw(server, "GET", "export"), (200, self.native_export(server)))

    def test_changes_are_json_lines(self):
        with self.start() as server:
            document = self.document(mail_objects=1, bundles=1)
            status, lines = self.send(server, document, "?changes=true", self.ask_raw)
            self.assertEqual(status, 200)
            *changes, report = map(json.loads, lines.splitlines())
            for change in changes:
                self.assertRegex(change.pop("time"), r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
            piece = {"id": "3f2504e0-4f89-41d3-9a0c-000000000000", "from": None, "to": "Attendu"}
            self.assertEqual(changes, [{"change": "added", "section": "objetsCourrier", "entity": 1},
                                       {"change": "added", "section": "tiers", "entity": "T1"},
                                       {"change": "added", "section": "liasses", "entity": "L-00000", "pieces": [piece]}])
            self.assertEqual((report["dryRun"], report["sections"]["tiers"]["added"]), (False, 1))
            self.assertEqual(self.send(server, document, "?changes=true&dryRun=true", self.ask_raw)[1].count(b"\n"), 1)

    def test_pruning_and_override(self):
        with self.start() as server:
            self.send(server, self.document(mail_objects=2, bundles=3))
            smaller = self.document(mail_objects=2, bundles=1)
            self.assertEqual(self.send(server, smaller)[1]["sections"]["liasses"]["removed"], 0)
            self.assertEqual(self.send(server, smaller, "?prune=true")[1]["sections"]["liasses"]["removed"], 2)
            empty = self.written("empty.json", '{"liasses":[]}')
            self.assertEqual(self.send(server, empty, "?prune=true")[0], 422)
            self.assertEqual(self.send(server, empty, "?prune=true&allowEmptySections=true")[1]["sections"]["liasses"]["removed"], 1)
            grants = [{"permission": "PortailClients.Dashboard.Host", "role": "manager"}]
            self.assertEqual(self.send(server, self.written("grants.json", json.dumps({"droits": grants})))[0], 200)
            none = self.written("none.json", '{"droits":[]}')
            status, report = self.send(server, none)
            self.assertEqual((status, report["faults"]), (422, ["droits: the section is empty, so the import would remove all stored elements; to "
                                                                "allow this, give --yes (over HTTP: allowEmptySections=true)"]))
            self.assertEqual(self.send(server, none, "?allowEmptySections=true")[1]["sections"]["droits"]["removed"], 1)
            self.assertEqual(self.message(self.send(server, empty, "?prune=yes")), (400, "prune must be true or false"))

    def test_a_parameter_that_has_no_effect_is_refused(self):
        with self.start() as server:
            self.send(server, self.document(bundles=3))
            smaller = self.document(bundles=1)
            for query, message in (("dryRun", "dryRun has no value"), ("dryRun=", "dryRun has no value"), ("dryRun=%20", "dryRun has no value"),
                                   ("dry-run=true", 'unknown parameter "dry-run"; did you mean dryRun?'),
                                   (";dryRun=true", 'unknown parameter ";dryRun"; did you mean dryRun?'),
                                   ("prune=false;dryRun=true", "prune must be true or false"), ("dryRun=1", "dryRun must be true or false"),
                                   ("=true", 'unknown parameter ""'), ("subject=x", 'unknown parameter "subject"'),
                                   ("dryRun=true&DRYRUN=false", "dryRun must be given once only")):
                self.assertEqual(self.message(self.send(server, smaller, f"?prune=true&{query}".replace("prune=true&prune", "prune"))), (400, message))
            self.assertEqual(self.ask(server, "GET", "check")[1]["bundles"], 3)
            self.assertEqual(self.send(server, smaller, "?&%70RUNE=True&dryRun=%20true")[1]["sections"]["liasses"]["removed"], 2)  # decoded
            for method, target, message in (("PUT", "keys?dryRun=true", 'unknown parameter "dryRun"'), ("GET", "export?%0a", 'unknown parameter "?"'),
                                            ("PUT", "template-files/1?dryRun=true", 'unknown parameter "dryRun"'),
                                            ("GET", "audit?subjects=x", 'unknown parameter "subjects"; did you mean subject?'),
                                            ("GET", "audit?subject=", "subject has no value"), ("GET", "audit?object=", "object has no value"),
                                            ("GET", "check?q", 'unknown parameter "q"'), ("GET", "status?q=1", 'unknown parameter "q"'),
                                            ("GET", "template-files/1?q=1", 'unknown parameter "q"'), ("GET", "openapi.json?v=2", 'unknown parameter "v"')):
                self.assertEqual(self.message(self.ask(server, method, target, pathlib.Path(self.public_keys).read_bytes(), JSON)), (400, message))
            self.assertEqual([record["action"] for record in self.changes(server)], ["import"])

    def test_bad_documents_change_nothing(self):
        with self.start() as server:
            not_an_object = "document: the document must be a JSON object in UTF-8 (line 1)"
            for body, faults in ((b"", ["document: the document is empty (line 1)"]), (b"[]", [not_an_object]), (b"\xff", [not_an_object]),
                                 (b'{"droits":[]', ["document: the document ends too early (line 1)"]),
                                 (b'{"x":[]}', ['document: unknown section "x"; the sections are objetsCourrier, tiers, liasses and droits (line 1)']),
                                 (b'{"tiers":[{"numeroTiers":1,"nomTiers":"","prenomTiers":"","utilisateurs":[]}]}',
                                  ["tiers[0].numeroTiers: must be a string", "tiers[0].gestionnaires: missing"])):
                status, report = self.ask(server, "POST", "import", body, JSON)
                self.assertEqual((status, report["faults"], report["faultCount"]), (422, faults, len(faults)))
            for headers in ({}, {"Content-Type": "text/plain"}, JSON | {"Content-Encoding": "gzip"}):
                self.assertEqual(self.ask(server, "POST", "import", b"{}", headers)[0], 415)
            self.assertEqual(self.ask(server, "GET", "status")[1]["format"], "empty")

    def test_a_document_over_the_limit_is_refused(self):
        with self.start(max_document=1) as server:
            body = b'{"liasses":[' + b" " * (1 << 20) + b"]}"
            status, answer = self.ask(server, "POST", "import", body, JSON)
            self.assertEqual((status, answer["error"]["message"]),
                             (413, "the document is larger than 1048576 bytes: send it in parts, or raise the setting manage-max-document"))
            self.assertEqual(self.ask(server, "POST", "import", body[:1 << 20][:-2] + b"]}", JSON)[0], 200)

    def test_a_template_file_may_be_larger_than_a_document(self):
        with self.start(max_document=1) as server:
            body = bytes(range(256)) * (20 * 1024)
            status, stored = self.ask(server, "PUT", "template-files/2", body)
            self.assertEqual((status, stored["size"]), (200, 5 * 1024 * 1024))
            mail_object = {"id": 2, "typeObjet": "RIB", "description": "RIB", "utilisablePourLiasse": True, "typeAffectation": "Rien",
                           "fichierModele": {"nomFichier": "rib.pdf", "chemin": "rib.pdf", "type": "application/pdf"}}
            self.assertEqual(self.ask(server, "POST", "import", json.dumps({"objetsCourrier": [mail_object]}).encode(), JSON)[0], 200)
            self.assertEqual(self.ask(server, "GET", "template-files/2"), (200, body))

    def document_with_file(self, description):
        """Returns a document with the mail object 2, which has a template file."""
        mail_object = {"id": 2, "typeObjet": "RIB", "description": description, "utilisablePourLiasse": True, "typeAffectation": "Rien",
                       "fichierModele": {"nomFichier": "rib.pdf", "chemin": "rib.pdf", "type": "application/pdf"}}
        return self.written("with-file.json", json.dumps({"objetsCourrier": [mail_object]}))

    def import_with_file(self, server, description):
        """Returns the status of the import, and the mail objects whose template files it dropped."""
        status, report = self.send(server, self.document_with_file(description))
        return status, report.get("droppedTemplateFiles", [])

    def test_a_template_file_belongs_to_one_import(self):
        """To the first one that names its mail object."""
        with self.start() as server:
            self.assertEqual(self.import_with_file(server, "one"), (422, []))
            self.assertEqual(self.ask(server, "PUT", "template-files/2", b"one")[0], 200)
            self.assertEqual(self.send(server, self.written("part.json", '{"tiers":[]}'))[0], 200)  # a part of an import
            self.assertEqual(self.send(server, self.document_with_file("one"), "?dryRun=true")[0], 200)
            self.assertEqual(self.import_with_file(server, "one"), (200, []))
            self.assertEqual(self.ask(server, "GET", "template-files/2"), (200, b"one"))
            mail_object = {"id": 2, "typeObjet": "RIB", "description": "none", "utilisablePourLiasse": True, "typeAffectation": "Rien", "fichierModele": None}
            self.assertEqual(self.send(server, self.written("none.json", json.dumps({"objetsCourrier": [mail_object]})))[0], 200)
            self.assertEqual(self.import_with_file(server, "two"), (422, []))  # it was used already

    def test_every_change_is_in_the_audit(self):
        with self.start() as server:
            self.send(server, self.document())
            self.ask(server, "PUT", "template-files/1", b"%PDF", {"X-Correlation-Id": "file-1"})
            self.ask(server, "PUT", "keys", pathlib.Path(self.public_keys).read_bytes(), JSON)
            records = self.changes(server)
            self.assertEqual([(record["action"], record["route"], record["subject"], record["systemUser"]) for record in records],
                             [("import", "POST /manage/import", "sub-admin", None),
                              ("template-file", "PUT /manage/template-files/{id}", "sub-admin", None),
                              ("keys", "PUT /manage/keys", "sub-admin", None)])
            self.assertEqual((records[1]["correlationId"], records[1]["file"]["size"]), ("file-1", 4))
            keys = json.loads(pathlib.Path(self.public_keys).read_text(encoding="utf-8"))["keys"]
            self.assertEqual(records[2]["keySet"], {"usable": 1, "kids": [keys[0]["kid"]], "remarks": []})
            for query, expected in (("action=keys", 1), ("correlationId=file-1", 1), ("subject=sub-admin", 3), ("subject=sub-client", 0),
                                    ("since=2000-01-01", 3), ("until=2000-01-01T00:00:00%2B01:00", 0), ("object=1", 0)):
                self.assertEqual(len(self.changes(server, f"?{query}")), expected, query)
            for query, message in (("since=yesterday", "since must be 2026-01-31 or 2026-01-31T08:00:00%2B01:00"), ("object=x", "object must be the id of a mail object"),
                                   ("action=x", "action must be update, replace-configuration, grants, import, import-outcome, keys, template-file, erasure or call")):
                self.assertEqual(self.message(self.ask(server, "GET", f"audit?{query}")), (400, message))
            status, lines = self.ask_raw(server, "GET", "audit")
            self.assertEqual(status, 200)
            self.assertEqual(self.native_audit(server), lines)

    def records(self, server, query=""):
        """Returns the records that GET /manage/audit lists."""
        return [json.loads(line) for line in self.ask_raw(server, "GET", f"audit{query}")[1].splitlines()]

    def changes(self, server, query=""):
        """Returns the records of changes."""
        return [record for record in self.records(server, query) if record["action"] != "call"]

    def test_every_call_is_in_the_audit(self):
        """Those that change nothing or fail have a record each; it moves no value."""
        with self.start() as server:
            self.send(server, self.document())
            number = {"X-Correlation-Id": "call-1"}
            self.ask(server, "GET", "status?a=%20b", headers=number)
            self.ask(server, "GET", "check")
            self.ask(server, "HEAD", "export")
            self.ask(server, "GET", "template-files/1")
            self.send(server, self.document(), "?dryRun=true")
            self.ask(server, "POST", "import", b"[]", JSON)
            self.ask(server, "PUT", "keys?", b"x", JSON)
            self.ask(server, "GET", "unknown")
            self.ask(server, "DELETE", "export")
            for method, target in (("GET", "audit?subject=sub-admin"), ("POST", "import"), ("PUT", "keys"), ("GET", "unknown")):  # without the permission
                self.assertEqual(self.ask(server, method, target, token=self.token())[0], 403)
            self.ask(server, "GET", "status", token="")  # without an identity
            self.ask(server, "GET", "openapi.json")
            calls = self.records(server, "?action=call&since=2000-01-01")
            self.assertEqual([(call["subject"], call["route"], call["id"], call["query"], call["status"]) for call in calls],
                             [("sub-admin", "GET /manage/status", None, "a=%20b", 400), ("sub-admin", "GET /manage/check", None, None, 200),
                              ("sub-admin", "HEAD /manage/export", None, None, 200), ("sub-admin", "GET /manage/template-files/{id}", "1", None, 404),
                              ("sub-admin", "POST /manage/import", None, "dryRun=true", 200), ("sub-admin", "POST /manage/import", None, None, 422),
                              ("sub-admin", "PUT /manage/keys", None, None, 422), ("sub-admin", "GET -", None, None, 404),
                              ("sub-admin", "DELETE /manage/export", None, None, 405), ("sub-admin", "GET /manage/audit", None, "action=call&since=2000-01-01", 200)])
            self.assertEqual((calls[0]["correlationId"], calls[0]["systemUser"], calls[0]["previous"], "finished" in calls[0]), ("call-1", None, None, False))
            self.assertEqual(sorted(call["time"] for call in calls), [call["time"] for call in calls])
            self.ask(server, "PUT", "template-files/1", b"%PDF")
            self.assertEqual([record["action"] for record in self.records(server)][-3:], ["call", "template-file", "call"])  # in the order of time
            self.assertEqual(self.records(server, "?correlationId=call-1")[0]["action"], "call")

    def assert_an_import_removes_old_records(self, server, folder):
        """The server of the dir: store `folder` keeps records for a day."""
        old, kept = (f"audit.{int((time.time() - hours * 3600) * 1e6):016}.00000000000000aa" for hours in (25, 23))
        for name in (old, kept):
            pathlib.Path(folder, name).write_text('{"time":"2026-01-01T00:00:00.000000Z","action":"call","previous":null}', encoding="utf-8")
        self.assertEqual(self.send(server, self.document(), "?dryRun=true")[0], 200)
        self.assertEqual(self.ask(server, "POST", "import", b"[]", JSON)[0], 422)
        self.assertTrue(pathlib.Path(folder, old).exists())
        self.assertEqual(self.send(server, self.document())[0], 200)
        self.assertEqual([pathlib.Path(folder, name).exists() for name in (old, kept)], [False, True])

    def assert_nothing_is_answered_without_a_record(self, server, folder):
        """`folder` is that of the server's dir: store. A file in the place of the writers' folder lets every write fail."""
        self.assertEqual(self.send(server, self.document())[0], 200)
        writers = pathlib.Path(folder, "~writers")
        shutil.rmtree(writers)
        writers.write_bytes(b"")
        for method, target in (("GET", "status"), ("GET", "check"), ("GET", "export"), ("GET", "audit"), ("GET", "unknown")):
            self.assertEqual(self.message(self.ask(server, method, target)),
                             (503, "the store cannot keep the audit record of this call, so there is no other answer: free space or repair the "
                                   "store, and send the request again"), target)
        self.assertEqual(self.ask(server, "GET", "status", token="")[0], 401)
        self.assertEqual(self.ask(server, "GET", "openapi.json", token="")[0], 200)
        writers.unlink()
        writers.mkdir()
        self.assertEqual(self.ask(server, "GET", "status")[0], 200)

    def test_keys_are_checked(self):
        with self.start() as server:
            for body, status, part in ((b"{", 422, "the key set cannot be used"), (b'{"keys":[]}', 422, "no key of the set is usable"),
                                       (b'{"keys":[{"kty":"oct","k":"YQ","alg":"HS256","kid":"a"}]}', 422, "no key of the set is usable"),
                                       (b" " * 262145, 413, "larger than 262144 bytes")):
                answer = self.message(self.ask(server, "PUT", "keys", body, JSON))
                self.assertEqual(answer[0], status)
                self.assertIn(part, answer[1])
            key = json.loads(pathlib.Path(self.public_keys).read_text(encoding="utf-8"))["keys"][0]
            for private, name in (({"d": "AAAA"}, key["kid"]), ({"use": "enc", "p": "AAAA"}, key["kid"])):  # a usable key, and a refused one
                self.assertEqual(self.message(self.ask(server, "PUT", "keys", json.dumps({"keys": [key | private]}), JSON)),
                                 (422, f'keys[0] "{name}": it has private members, which must not be stored: send public keys only (portail keys public)'))
            self.assertEqual(self.ask(server, "GET", "status")[1]["format"], "empty")
            self.assertEqual(self.changes(server), [])

    def test_template_files_are_checked(self):
        with self.start() as server:
            for target, body, expected in (("template-files/x", b"a", (404, '"x" is not the id of a mail object: an integer from 0 on')),
                                           ("template-files/01", b"a", (404, '"01" is not the id of a mail object: an integer from 0 on')),
                                           ("template-files/1", b"", (422, "the template file is empty")),
                                           ("template-files/1", b"a" * (5 * 1024 * 1024 + 1), (413, "the template file is larger than 5242880 bytes"))):
                self.assertEqual(self.message(self.ask(server, "PUT", target, body)), expected)
            self.assertEqual(self.message(self.ask(server, "GET", "template-files/1")), (404, "the mail object 1 has no template file"))
            largest = os.urandom(5 * 1024 * 1024)
            self.assertEqual(self.ask(server, "PUT", "template-files/1", largest)[0], 200)
            self.assertEqual(self.ask(server, "PUT", "template-files/1", largest[:-1])[0], 200)  # replaces it
            document = json.loads(pathlib.Path(self.document()).read_text(encoding="utf-8"))
            document["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "a.pdf", "chemin": "anything.pdf", "type": "application/pdf"}
            self.assertEqual(self.send(server, self.written("with-file.json", json.dumps(document)))[0], 200)
            self.assertEqual(self.ask(server, "GET", "template-files/1"), (200, largest[:-1]))

    def test_the_description_has_the_methods_of_every_path(self):
        described = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
        with self.start() as server:
            self.assertEqual(self.ask(server, "GET", "openapi.json", token=""), (200, described))
            self.assertEqual(self.ask(server, "GET", "openapi.json", token=self.token()), (200, described))
            for path, item in described["paths"].items():
                methods = sorted({"get": "GET, HEAD"}.get(method, method.upper()) for method in item if method != "parameters")
                answer, _ = self.exchange(server, "DELETE", path.removeprefix("/manage/").replace("{id}", "1"))
                self.assertEqual((answer.status, answer.getheader("Allow")), (405, ", ".join(methods)), path)

    def test_unknown_paths_and_methods(self):
        with self.start() as server:
            for method, target, status in (("GET", "", 404), ("GET", "nothing", 404), ("GET", "import", 405), ("POST", "export", 405), ("DELETE", "keys", 405),
                                           ("GET", "%2e%2e", 400), ("HEAD", "status", 200), ("GET", "status?&", 200), ("GET", "status?x=%zz", 400)):
                self.assertEqual(self.ask(server, method, target)[0], status, target)
