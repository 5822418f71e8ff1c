"""portail shadow: compares answers with those of a second portal, into whose answers each test injects a change."""

import json
import os
import resource
import stat
import time
import unicodedata
import unittest
from urllib.parse import unquote_plus

from support.incumbent import Incumbent
from support.program import PortailTest, Server, bundle, run, until

from http_server import tls_context  # in tests/support, which support.program adds to the path

OWN, MANAGED, BUNDLE = "/api/app/liasse", "/api/app/liasse/dashboard-list", "/api/app/liasse/L-0001"
PAGED, SORTED = "/api/app/objet-courrier?SkipCount=0&MaxResultCount=2", "/api/app/objet-courrier?Sorting=typeObjet%20desc"
ALL, ONE, FILE = "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1", "/api/app/objet-courrier/1/fichier-modele"
ABSENT, FORBIDDEN = "/api/app/liasse/L-NONE", "/api/app/liasse/L-OTHER"
INVALID, CONFIGURATION, ANONYMOUS = "/api/app/objet-courrier?MaxResultCount=0", "/api/abp/application-configuration", "/api/app/objet-courrier/2"
GETS = (OWN, MANAGED, BUNDLE, PAGED, SORTED, ALL, ONE, FILE, ABSENT, FORBIDDEN, INVALID, CONFIGURATION)
REQUESTS = [*({"method": "GET", "target": target} for target in GETS), {"method": "HEAD", "target": BUNDLE},
            {"method": "GET", "target": ANONYMOUS, "token": False}]
PERSONAL = ("Durand", "Chloé", "Martin", "L-0001", "L-0002", "L-OTHER", "sub-client", "illisible", "P-77", "12345678901234567890123456", "Sophie")


def request_of(target):
    """Returns the request of REQUESTS for the target of an injection."""
    method, path = target if isinstance(target, tuple) else ("GET", target)
    found, = [each for each in REQUESTS if (each["method"], each["target"]) == (method, path)]
    return found


def edit(old, new):
    return lambda answer: answer.replace(old, new)


def set_status(status):
    def inject(answer):
        if answer.status == status:
            raise AssertionError(f"the status is {status} already")
        answer.status = status
    return inject


def header(name, *values):
    return lambda answer: answer.replace_header(name, *values)


def added(name, value):
    return lambda answer: answer.add_header(name, value)


def parsed(change):
    """An injection that changes the parsed body."""
    def inject(answer):
        value = answer.json()
        change(value)
        before = answer.json()
        if value == before:
            raise AssertionError("nothing changed")
        answer.set_json(value)
    return inject


def without(name, of=lambda value: value):
    return parsed(lambda value: of(value).pop(name))


def reordered(of=lambda value: value):
    return parsed(lambda value: of(value).reverse())


def many_numbers(answer):
    answer.body = b"[" + b"1," * ((8 << 20) - 2) + b"1]"  # 16 MiB, the default of --max-answer


def cut_off(answer):
    answer.body, answer.cut_off = answer.body[:-10], 10


def cut_off_chunks(answer):
    answer.body, answer.cut_off, answer.chunked = answer.body[:-10], 10, True


def gzip_header(answer):
    answer.headers.append(("Content-Encoding", "gzip"))


def redirect(answer):
    answer.status = 302
    answer.add_header("Location", "/elsewhere")


def to_bytes(old, new):
    def inject(answer):
        if answer.body.count(old) != 1:
            raise AssertionError(f"{answer.body.count(old)} times {old}")
        answer.body = answer.body.replace(old, new)
    return inject


# What is injected, into the answer to what: the row and location of the only difference. tests/native/shadow/shadow_unit.cpp has more.
DIFFERENCES = [
    ("a status 500", OWN, set_status(500), "Errors: 500", "status"),
    ("a status 503", OWN, set_status(503), "Errors: 503", "status"),
    ("a bundle that should be absent", ABSENT, set_status(200), "Errors: 404 of an entity", "status"),
    ("a refused dashboard", MANAGED, set_status(403), "Who sees what: dashboard-list", "status"),
    ("a refused bundle is absent", FORBIDDEN, set_status(404), "Who sees what: GET /liasse/{id}", "status"),
    ("an answer without a token", ANONYMOUS, set_status(200), "Tokens: 401", "status"),
    ("an accepted parameter", INVALID, set_status(200), "Errors: 400 from validation", "status"),
    ("an absent template file", FILE, set_status(404), "Answers: template file, 404", "status"),
    ("a redirect", ONE, redirect, "Requests: routes, the nine of the interface", "status"),
    ("no ETag", ONE, header("ETag"), "Answers: validators, ETag on every 200", "header ETag"),
    ("a bundle that may be cached", BUNDLE, header("Cache-Control", "private, no-cache"), "Answers: caching", "header Cache-Control"),
    ("the same for HEAD", ("HEAD", BUNDLE), header("Cache-Control", "no-cache"), "Answers: caching", "header Cache-Control"),
    ("a shorter Vary", ALL, header("Vary", "Origin, Accept-Encoding, Accept-Language"), "Answers: caching, Vary", "header Vary"),
    ("no nosniff", FILE, header("X-Content-Type-Options"), "Answers: always, nosniff", "header X-Content-Type-Options"),
    ("no correlation id", OWN, header("X-Correlation-Id"), "Answers: always, X-Correlation-Id", "header X-Correlation-Id"),
    ("another type", ONE, header("Content-Type", "text/plain; charset=utf-8"), "Answers: content type", "header Content-Type"),
    ("another charset", PAGED, header("Content-Type", "application/json; charset=iso-8859-1"), "Answers: content type", "header Content-Type"),
    ("another type of a file", FILE, header("Content-Type", "application/pdf"), "Answers: template file", "header Content-Type"),
    ("an added _AbpErrorFormat", ANONYMOUS, added("_AbpErrorFormat", "true"), "Errors: body and _AbpErrorFormat", "header _AbpErrorFormat"),
    ("no _AbpErrorFormat", ABSENT, header("_AbpErrorFormat"), "Errors: body and _AbpErrorFormat", "header _AbpErrorFormat"),
    ("another challenge", ANONYMOUS, header("WWW-Authenticate", 'Bearer error="invalid_token"'), "Tokens: 401", "header WWW-Authenticate"),
    ("another language", ABSENT, header("Content-Language", "fr"), "Errors: language", "header Content-Language"),
    ("another file name", FILE, header("Content-Disposition", "attachment; filename=modele.txt; filename*=UTF-8''modele.txt"),
     "Answers: template file", "header Content-Disposition"),
    ("no sandbox", FILE, header("Content-Security-Policy"), "Answers: template file", "header Content-Security-Policy"),
    ("a byte of a file", FILE, to_bytes(b"modele", b"modelE"), "Answers: template file", "body at byte 12"),
    ("a digit of an id", ONE, edit('{"id":1,', '{"id":10,'), "Resources: id", "body /id"),
    ("a number as text", ONE, edit('{"id":1,', '{"id":"1",'), "Resources: id", "body /id"),
    ("an instant one millisecond later", BUNDLE, edit("2024-01-15T10:30:00.25+01:00", "2024-01-15T10:30:00.251+01:00"),
     "Answers: creationDate", "body /creationDate"),
    ("an offset without its instant", BUNDLE, edit("2024-01-15T10:30:00.25+01:00", "2024-01-15T10:30:00.25+02:00"),
     "Answers: creationDate", "body /creationDate"),
    ("a boolean", BUNDLE, edit('"opportuniteMiseEnPlace":true', '"opportuniteMiseEnPlace":false'),
     "Resources: opportuniteMiseEnPlace", "body /opportuniteMiseEnPlace"),
    ("a consultation", BUNDLE, parsed(lambda value: value.update(deposeeDepuisDerniereConsultation=not value["deposeeDepuisDerniereConsultation"])),
     "Answers: deposeeDepuisDerniereConsultation, deposits", "body /deposeeDepuisDerniereConsultation"),
    ("no member instead of null", BUNDLE, without("motif", lambda value: value["piecesAttendues"][0]), "Resources: motif",
     "body /piecesAttendues/0/motif"),
    ("null instead of text", OWN, parsed(lambda value: value[0].update(erreur=None)), "Answers: erreur", "body /0/erreur"),
    ("a bundle's status", BUNDLE, edit('"statut":"En cours"', '"statut":"Complet"'), "Answers: statut of a bundle", "body /statut"),
    ("a piece's status", BUNDLE, edit('"statut":"Validé"', '"statut":"Valide"'), "Answers: piece statut", "body /piecesAttendues/1/statut"),
    ("another normalisation", BUNDLE, edit("Chloé", unicodedata.normalize("NFD", "Chloé")), "Resources: prenomTiers", "body /prenomTiers"),
    ("the order of bundles", OWN, reordered(), "Answers: bundle lists", "body"),
    ("the order of a sorted page", SORTED, reordered(lambda value: value["items"]), "Requests: sorting", "body /items"),
    ("a missing piece", BUNDLE, parsed(lambda value: value["piecesAttendues"].pop(3)), "Resources: piecesAttendues", "body /piecesAttendues/3"),
    ("a missing derogated piece", BUNDLE, parsed(lambda value: value["piecesAttendues"].pop(2)), "Answers: derogated pieces, by id",
     "body /piecesAttendues/2"),
    ("a missing derogated piece in a list", OWN, parsed(lambda value: value[0]["piecesAttendues"].pop(2)), "Answers: derogated pieces, lists",
     "body /0/piecesAttendues/2"),
    ("a bundle twice", OWN, parsed(lambda value: value.append(value[0])), "Who sees what: GET /liasse", "body /2"),
    ("a missing managed bundle", MANAGED, parsed(lambda value: value.pop(0)), "Who sees what: dashboard-list", "body /0"),
    ("another member", ONE, parsed(lambda value: value.update(concurrencyStamp="x")), "Answers: mail object", "body /concurrencyStamp"),
    ("no template", ONE, parsed(lambda value: value.update(lienFichier=None)), "Answers: mail object", "body /lienFichier"),
    ("no nomFichier in a piece", BUNDLE, without("nomFichier", lambda value: value["piecesAttendues"][0]["objetCourrier"]),
     "Answers: mail object inside a piece", "body /piecesAttendues/0/objetCourrier/nomFichier"),
    ("the configuration of a mail object", PAGED, parsed(lambda value: value["items"][1].update(typeAffectation="Optionnel")),
     "Resources: typeAffectation", "body /items/1/typeAffectation"),
    ("the total", PAGED, edit('"totalCount":3', '"totalCount":2'), "Answers: paged list", "body /totalCount"),
    ("an object instead of a list", OWN, lambda answer: answer.set_json({"items": answer.json()}),
     "Who sees what: GET /liasse", "body"),
    ("a null message", FORBIDDEN, parsed(lambda value: value["error"].update(message=None)), "Errors: body and _AbpErrorFormat",
     "body /error/message"),
    ("the data of a refusal", FORBIDDEN, parsed(lambda value: value["error"].update(data={"PolicyName": "x"})), "Errors: 403 of a permission",
     "body /error/data/PolicyName"),
    ("no data", ABSENT, without("data", lambda value: value["error"]), "Errors: body and _AbpErrorFormat", "body /error/data"),
    ("no validation errors", INVALID, parsed(lambda value: value["error"].update(validationErrors=None)), "Errors: 400 from validation",
     "body /error/validationErrors"),
    ("a missing policy", CONFIGURATION, without("PortailClients.Dashboard.Host", lambda value: value["auth"]["grantedPolicies"]),
     "Also answered: application-configuration, a caller", "body /auth/grantedPolicies/PortailClients.Dashboard.Host"),
    ("another user", CONFIGURATION, parsed(lambda value: value["currentUser"].update(name="Zoé")),
     "Also answered: application-configuration, a caller", "body /currentUser/name"),
    ("a missing role", CONFIGURATION, parsed(lambda value: value["currentUser"]["roles"].pop()),
     "Also answered: application-configuration, a caller", "body /currentUser/roles/1"),
    ("another culture", CONFIGURATION, parsed(lambda value: value["localization"]["currentCulture"].update(cultureName="de")),
     "Also answered: application-configuration, localization", "body /localization/currentCulture/cultureName"),
    ("a comma too many", ALL, to_bytes(b"}]", b"},]"), "Answers: JSON text", "body"),
    ("too deep a body", ONE, lambda answer: setattr(answer, "body", b"[" * 100_000 + b"]" * 100_000), "Answers: JSON text", "body"),
]

# What has the same meaning.
SAME = [
    ("a total with a fraction", PAGED, edit('"totalCount":3', '"totalCount":3.00')),
    ("the order of pieces", BUNDLE, reordered(lambda value: value["piecesAttendues"])),
    ("the order of roles", CONFIGURATION, reordered(lambda value: value["currentUser"]["roles"])),
    ("a UUID in upper case", BUNDLE, edit("3f2504e0-4f89-41d3-9a0c-000000000001", "3F2504E0-4F89-41D3-9A0C-000000000001")),
    ("escapes", BUNDLE, edit("Chloé", "\\u0043hlo\\u00E9")), ("escapes of names", ONE, edit('"typeObjet"', '"type\\u004fbjet"')),
    ("white space", ALL, lambda answer: setattr(answer, "body", json.dumps(answer.json(), indent=2).encode() + b"\r\n")),
    ("the order of members", ONE, lambda answer: answer.set_json(dict(reversed(answer.json().items())))),
    ("another tag", ONE, header("ETag", 'W/"1"')), ("another id of the request", OWN, header("X-Correlation-Id", "0HN1:1")),
    ("the case of a media type", ONE, header("Content-Type", "Application/JSON;charset=UTF-8")),
    ("Vary in lines", ALL, header("Vary", "accept-language", "Origin", "Authorization, Accept-Encoding")),
    ("the order of directives", ONE, header("Cache-Control", "no-cache, private")),
    ("another form of a file name", FILE, header("Content-Disposition", "Attachment; filename*=utf-8''mod%C3%A8le%20cni.txt")),
    ("other headers", OWN, added("X-Powered-By", "ASP.NET")), ("a cookie", OWN, added("Set-Cookie", "a=b")),
    ("another description of a refusal", ANONYMOUS, header("WWW-Authenticate", 'bearer error_description="none"')),
    ("another text of a refusal", FORBIDDEN, parsed(lambda value: value["error"].update(message="Authorization failed!"))),
    ("other words of validation", INVALID, parsed(lambda value: value["error"]["validationErrors"][0].update(message="Out of range."))),
    ("other details", INVALID, parsed(lambda value: value["error"].update(details="Out of range."))),
    ("more configuration", CONFIGURATION, parsed(lambda value: value.update(extraProperties={"a": 1}))),
    ("more policies", CONFIGURATION, parsed(lambda value: value["auth"]["grantedPolicies"].update({"AbpIdentity.Users": True}))),
    ("chunks", OWN, lambda answer: setattr(answer, "chunked", True)),
]


class Shadow(Server):
    command = "shadow"

    def report(self):
        """Stops it; returns the exit status and the report."""
        status = self.stop()
        return status, json.loads(self.process.stdout.read().decode())


class ShadowTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bearer_token = cls.token("sub-client", "--permission", "PortailClients.Dashboard.Host", "--permission",
                                     "PortailClients.Liasses.VoirPieceDerogee", "--role", "agent", "--role", "auditor", "--claim", 'name="Sophie"')
        cls.token_file = cls.write("token", cls.bearer_token + "\n")
        cls.write_document()
        cls.portal = cls.enterClassContext(cls.serve())
        cls.second = cls.enterClassContext(cls.serve())
        cls.incumbent = cls.enterClassContext(Incumbent(cls.second.port))

    def setUp(self):
        self.incumbent.requests.clear()
        self.incumbent.injected, self.incumbent.target, self.incumbent.inject = 0, None, None

    @classmethod
    def write_document(cls):
        mail_objects = [{"id": number, "typeObjet": code, "description": f"Pièce {code}", "utilisablePourLiasse": True, "typeAffectation": "Rien"}
                        for number, code in ((1, "CNI"), (2, "AVIS"), (3, "RIB"))]
        cls.write("cni.txt", "Un bel modele de pièce\n")
        mail_objects[0]["fichierModele"] = {"nomFichier": "modèle cni.txt", "chemin": "cni.txt", "type": "text/plain"}
        pieces = [{"id": f"3f2504e0-4f89-41d3-9a0c-{number:012x}", "objetCourrier": 1, "statut": status, "motif": reason, "dateDepot": None}
                  for number, (status, reason) in enumerate([("Attendu", None), ("Validé", None), ("Dérogé", "admis"), ("Déposé", "illisible")])]

        def bundle_of(name, third_party, date, own_pieces):
            return bundle(id=name, creationDate=date, numeroTiers=third_party, numeroPret="P-77", montantOpportunite="AMOUNT",
                          opportuniteMiseEnPlace=True, piecesAttendues=own_pieces)

        def third_party(number, name, users, managers):
            return {"numeroTiers": number, "nomTiers": name, "prenomTiers": "Chloé", "utilisateurs": users, "gestionnaires": managers}

        document = {"objetsCourrier": mail_objects,
                    "tiers": [third_party("T1", "Durand", ["sub-client"], []), third_party("T2", "Martin", [], ["sub-client"]),
                              third_party("T3", "Petit", [], [])],
                    "liasses": [bundle_of("L-0001", "T1", "2024-01-15T10:30:00.25+01:00", pieces),
                                bundle_of("L-0002", "T1", "2023-01-15T10:30:00+01:00", []),
                                bundle_of("L-0003", "T2", "2023-01-15T10:30:00+01:00", []),
                                bundle_of("L-OTHER", "T3", "2023-01-15T10:30:00+01:00", [])]}
        text = json.dumps(document, ensure_ascii=False).replace('"AMOUNT"', "12345678901234567890123456.78")
        cls.document_path = cls.write("shadow.json", text)

    @classmethod
    def serve(cls, kind=Server, *flags, document=None, **options):
        return kind(cls.folder, "--store", "memory:", "--import", document or cls.document_path, "--insecure-http", *flags, tls=False, **options)

    def shadow(self, *flags, upstream=None, **options):
        return self.serve(Shadow, "--upstream", upstream or self.incumbent.url, "--json", *flags, **options)

    def replay(self, requests, *flags, upstream=None, **options):
        lines = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in requests)
        return run("shadow", "--upstream", upstream or self.incumbent.url, "--to", f"http://127.0.0.1:{self.portal.port}", "--replay", "-",
                   "--token-file", self.token_file, *flags, stdin=lines, **options)

    def replay_json(self, requests, *flags, **options):
        done = self.replay(requests, "--json", *flags, **options)
        self.assertEqual(done.stdout.count("\n"), 1, done.stderr)
        return done, json.loads(done.stdout)

    def inject(self, target, change):
        method, path = target if isinstance(target, tuple) else ("GET", target)
        self.incumbent.target = method, unquote_plus(path)
        self.incumbent.inject, self.incumbent.injected = change, 0

    def assert_injected(self, times=1):
        self.assertEqual(self.incumbent.faults, [])
        self.assertEqual(self.incumbent.injected, times)

    def assert_nothing_personal(self, *texts):
        for text in texts:
            self.assertTrue(text)
            for secret in (*PERSONAL, self.bearer_token, *self.bearer_token.split(".")):
                self.assertNotIn(secret, text)

    def test_the_second_portal_answers_the_same(self):
        done, report = self.replay_json(REQUESTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""), report)
        self.assertEqual((report["compared"], report["equal"], report["differences"], report["rows"], report["failures"], report["dropped"]),
                         (14, 14, 0, [], [], 0))
        for side in ("portal", "upstream"):
            self.assertEqual(report["microseconds"][side]["count"], 14)
            self.assertGreater(report["microseconds"][side]["median"], 0)
            self.assertGreaterEqual(report["microseconds"][side]["p99"], report["microseconds"][side]["median"])
        self.assertEqual([(method, unquote_plus(target)) for method, target, _ in self.incumbent.requests],
                         [(each["method"], unquote_plus(each["target"])) for each in REQUESTS])
        self.assertEqual(["Authorization" in request[2] for request in self.incumbent.requests], [True] * 13 + [False])

    def test_each_injected_difference_is_found_and_nothing_else(self):
        changes = iter([change for _, _, change, _, _ in DIFFERENCES])
        self.incumbent.inject = lambda answer: next(changes)(answer)
        done, report = self.replay_json([request_of(target) for _, target, _, _, _ in DIFFERENCES], "--examples", "100")
        self.assert_injected(len(DIFFERENCES))
        self.assertEqual({each["row"]: sorted(example["location"] for example in each["examples"]) for each in report["rows"]},
                         {row: sorted(each[4] for each in DIFFERENCES if each[3] == row) for row in {each[3] for each in DIFFERENCES}})
        self.assertEqual((report["compared"], report["equal"], report["differences"], report["failures"]), (len(DIFFERENCES), 0, len(DIFFERENCES), []))
        self.assertGreaterEqual(len(DIFFERENCES), 30)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"portail: the comparison failed: {len(DIFFERENCES)} differences; see the report\n"))
        self.assert_nothing_personal(done.stdout)
        self.assertNotIn("/elsewhere", [request[1] for request in self.incumbent.requests])

    def test_what_has_the_same_meaning_is_not_reported(self):
        changes = iter([change for _, _, change in SAME])
        self.incumbent.inject = lambda answer: next(changes)(answer)
        done, report = self.replay_json([request_of(target) for _, target, _ in SAME], "--examples", "100")
        self.assert_injected(len(SAME))
        self.assertEqual((done.returncode, done.stderr, report["rows"], report["equal"]), (0, "", [], len(SAME)))

    def test_the_report_for_people(self):
        self.inject(BUNDLE, edit("Chloé", "Chloe"))
        done = self.replay(REQUESTS)
        self.assert_injected()
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:3], ["compared         14 answers, 13 equal", "difference       Resources: prenomTiers: 1",
                                     "                 GET /api/app/liasse/{id}, body /prenomTiers: text of 5 characters, upstream text of 5 characters"])
        self.assertRegex(lines[3], r"^portal           median \d+ µs, 99th percentile \d+ µs$")
        self.assertRegex(lines[4], r"^upstream         median \d+ µs, 99th percentile \d+ µs$")
        self.assertEqual(len(lines), 5)
        self.assert_nothing_personal(done.stdout)

    def test_values_are_shown_on_request_and_tokens_never(self):
        token = self.bearer_token
        signature = token.split(".")[2]
        for change, portal, upstream in [
            (edit('"Chloé"', '"Chlo\\u0065"'), '"Chloé"', '"Chloe"'), (edit('"Chloé"', json.dumps(f"Chloé {token}")), '"Chloé"', "(hidden)"),
            (edit('"Chloé"', f'"\\u0065{token[1:]}"'), '"Chloé"', "(hidden)"), (edit('"Chloé"', json.dumps(["Chloé"])), '"Chloé"', "list of 1 element"),
            (edit('"Chloé"', json.dumps(f"of {signature}")), '"Chloé"', "(hidden)"),
            (edit('"Chloé"', json.dumps("é" * 150, ensure_ascii=False)), '"Chloé"', '"' + "é" * 99 + "…"),
        ]:
            with self.subTest(upstream=upstream):
                self.inject(BUNDLE, change)
                done, report = self.replay_json([{"method": "GET", "target": BUNDLE}], "--show-values")
                self.assert_injected()
                self.assertEqual(report["rows"][0]["examples"], [{"request": "GET /api/app/liasse/{id}", "location": "body /prenomTiers",
                                                                 "portal": portal, "upstream": upstream}])
                self.assertNotIn(token.split(".")[2], done.stdout)
        self.inject(BUNDLE, parsed(lambda value: value.update({token: 1, "Chloé Durand": 2})))
        done, report = self.replay_json([{"method": "GET", "target": BUNDLE}])
        self.assert_injected()
        self.assertEqual([example["location"] for example in report["rows"][0]["examples"]], ["body /(hidden)"] * 2)
        self.assert_nothing_personal(done.stdout)

    def test_accepted_rows_do_not_fail(self):
        self.inject(ONE, header("ETag"))
        done, report = self.replay_json(REQUESTS, "--accept", "Answers: validators, ETag on every 200")
        self.assert_injected()
        self.assertEqual((done.returncode, done.stderr, report["differences"], report["accepted"], report["rows"][0]["accepted"]),
                         (0, "", 0, 1, True))
        done = self.replay(REQUESTS, "--accept", "Answers: caching")
        self.assertEqual(done.returncode, 1, "another row")

    def test_examples_are_limited(self):
        self.inject(OWN, parsed(lambda value: [each.update(numeroPret="x") for each in value]))
        for flags, shown in [((), 3), (("--examples", "0"), 0), (("--examples", "5"), 5)]:
            done, report = self.replay_json([{"method": "GET", "target": OWN}] * 3, *flags)
            self.assertEqual((report["rows"][0]["count"], len(report["rows"][0]["examples"])), (6, shown))
        self.assert_injected(9)

    def test_only_reads_are_replayed(self):
        line = '{"time":"t","level":"info","correlationId":"c","method":"%s","route":"%s","status":200,"microseconds":1,"subject":null}'
        access = '{"time":"t","event":"access","access":"managed bundle","method":"GET","route":"%s","entity":%s,"status":200}'
        requests = [line % ("GET", OWN), "Nov 26 host portail[1]: " + line % ("HEAD", ALL), line % ("PUT", "/api/app/objet-courrier/{id}"),
                    line % ("GET", "/api/app/liasse/{id}"), access % ("/api/app/liasse/{id}", '"L-0001"'), access % (MANAGED, "null"),
                    line % ("GET", "/health/live"), line % ("GET", "-"), '{"level":"info","event":"stopping"}', "", "not a line {",
                    '10.0.0.1 - - [26/Nov/2026:10:00:00 +0000] "GET /api/app/objet-courrier/1 HTTP/1.1" 200 12 "-" "curl"',
                    '10.0.0.1 - - [26/Nov/2026:10:00:00 +0000] "PUT /api/app/objet-courrier/1 HTTP/1.1" 200 12 "-" "curl"',
                    {"method": "PUT", "target": ONE}, {"method": "POST", "target": PAGED}, {"method": "DELETE", "target": ONE},
                    {"method": "get", "target": ONE}, {"method": "GET", "target": "/api/abp/../x"}, {"method": "GET", "target": "http://other/"},
                    {"method": "GET", "target": ONE, "acceptLanguage": "fr"}]
        done, report = self.replay_json(requests)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([request[:2] for request in self.incumbent.requests],
                         [("GET", OWN), ("HEAD", ALL), ("GET", BUNDLE), ("GET", ONE), ("GET", ONE)])
        self.assertEqual([request[2]["Accept-Language"] for request in self.incumbent.requests], ["en"] * 4 + ["fr"])
        self.assertEqual(report["skipped"], {"method": 6, "path": 4, "noTarget": 1, "notARequest": 4, "notModified": 0, "tooLarge": 0,
                                             "unfinished": 0, "refused": 0})
        path = self.write("record.jsonl", json.dumps({"method": "GET", "target": ONE}) + "\n")
        done = run("shadow", "--upstream", self.incumbent.url, "--to", f"http://127.0.0.1:{self.portal.port}", "--replay", path,
                   environment={"PORTAIL_TOKEN": self.bearer_token})
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "compared         1 answer, 1 equal"))

    def test_the_log_of_the_portal_ends_though_the_replay_adds_to_it(self):
        with self.serve() as portal:
            for target in (OWN, ALL):
                self.assertEqual(portal.ask("GET", target, [("Authorization", f"Bearer {self.bearer_token}")]).status, 200)
            until(lambda: portal.log().count('"microseconds"') == 2, "both lines")
            done = run("shadow", "--upstream", self.incumbent.url, "--to", f"http://127.0.0.1:{portal.port}", "--replay", portal.log_path,
                       "--token-file", self.token_file, "--json")
            until(lambda: portal.log().count('"microseconds"') == 4, "the lines of the replay")
        self.assertEqual((done.returncode, json.loads(done.stdout)["compared"], sorted(request[1] for request in self.incumbent.requests)),
                         (0, 2, sorted([OWN, ALL])))

    def test_nothing_compared_is_no_success(self):
        done, report = self.replay_json([{"method": "PUT", "target": ONE}])
        self.assertEqual((done.returncode, done.stderr, report["compared"]), (1, "portail: the comparison failed: no answer was compared; see the report\n", 0))
        self.assertEqual(self.incumbent.requests, [])

    def test_what_the_upstream_does_not_answer_is_reported_apart(self):
        refused = "http://127.0.0.1:1"
        done, report = self.replay_json(REQUESTS[:2], upstream=refused)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "portail: the comparison failed: 2 requests without an answer, no answer was compared; see the report\n"))
        self.assertEqual([(each["side"], each["count"]) for each in report["failures"]], [("upstream", 2)])
        self.assertEqual(report["rows"], [])

        cut = "the answer was cut off"
        for name, target, change, reason in [
                ("too large", ONE, lambda answer: setattr(answer, "body", b" " * (1 << 20) + answer.body), "its answer is larger than --max-answer"),
                ("compressed", ONE, gzip_header, "its answer has a Content-Encoding, though identity was requested"),
                ("limited", ONE, set_status(429), "429: it limits the rate of requests"),
                ("a body that is cut off", OWN, cut_off, cut), ("chunks that are cut off", OWN, cut_off_chunks, cut),
                ("a file that is cut off", FILE, cut_off, cut)]:
            with self.subTest(name):
                self.inject(target, change)
                done, report = self.replay_json(REQUESTS, "--max-answer", "1")
                self.assert_injected()
                self.assertEqual(report["failures"], [{"side": "upstream", "reason": reason, "count": 1}])
                self.assertEqual((done.returncode, report["compared"], report["equal"], report["rows"]), (1, 13, 13, []))

    def test_an_upstream_that_does_not_answer_in_time(self):
        self.incumbent.gate.clear()
        self.addCleanup(self.incumbent.gate.set)
        done, report = self.replay_json(REQUESTS[:1], "--timeout", "1")
        self.assertEqual(report["failures"], [{"side": "upstream", "reason": "it did not answer in time", "count": 1}])
        self.assertEqual((done.returncode, len(self.incumbent.requests)), (1, 1))
        with self.shadow("--timeout", "1") as server:
            self.assertEqual(server.ask("GET", OWN, [("Authorization", f"Bearer {self.bearer_token}")]).status, 200)
            status, report = server.report()
        self.assertEqual(report["failures"], [{"side": "upstream", "reason": "it did not answer in time", "count": 1}])
        self.assertEqual((status, report["compared"]), (1, 0))

    def test_an_upstream_that_drips(self):
        """Neither its timeout nor the end of the program waits for the last byte."""
        def drip(answer):
            answer.drips, answer.body = True, answer.body + b" " * 1000

        self.inject(OWN, drip)
        done, report = self.replay_json(REQUESTS[:1], "--timeout", "5")
        self.assertEqual(report["failures"], [{"side": "upstream", "reason": "it did not answer in time", "count": 1}])
        self.assertEqual((done.returncode, report["compared"]), (1, 0))
        replayed = self.incumbent.injected
        with self.shadow("--timeout", "60") as server:
            self.assertEqual(server.ask("GET", OWN, [("Authorization", f"Bearer {self.bearer_token}")]).status, 200)
            until(lambda: self.incumbent.injected > replayed, "the answer of the upstream")
            began = time.monotonic()
            status, report = server.report()
            self.assertLess(time.monotonic() - began, 40)  # the pending comparisons have 10 s
        self.assertEqual((status, report["compared"], report["dropped"], report["failures"]), (1, 0, 1, []))

    def test_tls(self):
        self.make_certificate("authority.pem", "authority.key", "-days", "2")
        self.make_signed_certificate("localhost", "authority", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        context = tls_context(self.path("localhost.pem"), self.path("localhost.key"))
        with Incumbent(self.second.port, context) as secure:
            done, report = self.replay_json(REQUESTS, "--ca-file", self.path("authority.pem"), upstream=secure.url)
            self.assertEqual((done.returncode, report["equal"]), (0, 14))
            done, report = self.replay_json(REQUESTS[:1], "--ca-file", self.path("certificate.pem"), upstream=secure.url)
            self.assertEqual(report["failures"], [{"side": "upstream", "count": 1,
                                                   "reason": "its certificate is not from a trusted authority, or has expired"}])
            self.assertEqual((done.returncode, report["compared"]), (1, 0))

    def test_wrong_usage(self):
        replay = ["--to", "http://127.0.0.1:1", "--replay", "-"]
        for flags, line in [
            (["--upstream", "http://portal.example"], "--upstream must be an https URL without a path, or an http one of a loopback address, not http://portal.example"),
            (["--upstream", "https://portal.example/api"], "--upstream must be an https URL without a path, or an http one of a loopback address, not https://portal.example/api"),
            (["--upstream", "https://p", "--to", "https://p"], "--to and --replay must be given together"),
            (["--upstream", "https://p", "--replay", "-"], "--to and --replay must be given together"),
            (["--upstream", "https://p", *replay, "--record", "x"], "--record is for served requests: it cannot be used with --replay"),
            (["--upstream", "https://p", "--token-file", "x"], "--token-file is for --replay: a served request has its client's token"),
            (["--upstream", "https://p", *replay, "--accept", "Answers: cachin"], "--accept: unknown row Answers: cachin; did you mean Answers: caching?"),
            (["--upstream", "https://p", *replay, "--max-answer", "0"], "--max-answer must be 1 to 1024 MiB, not 0"),
            (["--upstream", "https://p", *replay, "--examples", "-1"], "--examples must be 0 to 1000, not -1"),
            (["--upstream", "https://p", *replay, "--timeout", "0"], "--timeout must be 1 to 60 seconds, not 0"),
            (["--upstream", "https://p", *replay], "no token: give --token-file a file with one, or set PORTAIL_TOKEN"),
            (["--upstream", "https://p", "--to", "http://portal.example", "--replay", "-"],
             "--to must be an https URL without a path, or an http one of a loopback address, not http://portal.example"),
        ]:
            with self.subTest(line=line):
                done = run("shadow", *flags)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"portail: {line}\n"))
        self.assert_one_line(self.replay([], "--ca-file", self.token_file), 2, "--ca-file", "no certificate in PEM")
        self.assert_one_line(run("shadow", "--upstream", "https://p", "--to", "https://p", "--replay", self.path("none"), "--token-file",
                                 self.token_file), 1, "cannot read --replay", "No such file")

    # Live

    def test_served_requests_are_compared(self):
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        record = self.path("recorded.jsonl")
        with self.shadow("--record", record) as server:
            with server.connect() as client:
                for target in GETS:
                    client.request("GET", target, [authorization])
                client.request("GET", ANONYMOUS)
                self.assertEqual(client.request("GET", ONE, [authorization, authorization]).status, 401)
                client.request("HEAD", BUNDLE, [authorization, ("Accept-Language", "fr")])
                tag = client.request("GET", ONE, [authorization])["ETag"]
                self.assertEqual(client.request("GET", ONE, [authorization, ("If-None-Match", tag)]).status, 304)
                self.assertEqual(client.request("GET", PAGED + "&access_token=eyJsecret&x=Durand", [authorization]).status, 200)
                self.assertEqual(client.request("GET", "/health/ready").status, 200)
                body = b'{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}'
                self.assertEqual(client.request("PUT", ONE, [authorization, ("Content-Type", "application/json")], body).status, 403)
            status, report = server.report()
            log = server.log()
        self.assertEqual((status, report["rows"], report["failures"]), (0, [], []))
        self.assertEqual((report["compared"], report["equal"], report["dropped"]), (17, 17, 0))
        self.assertEqual(report["skipped"], {"method": 1, "path": 1, "noTarget": 0, "notARequest": 0, "notModified": 1, "tooLarge": 0,
                                             "unfinished": 0, "refused": 0})
        sent = self.incumbent.requests
        self.assertEqual({method for method, _, _ in sent}, {"GET", "HEAD"})
        of_caller = [(method, target) for method, target, headers in sent if "Authorization" in headers]
        self.assertEqual([(method, unquote_plus(target)) for method, target in of_caller],
                         [*(("GET", unquote_plus(target)) for target in GETS), ("GET", ONE), ("HEAD", BUNDLE), ("GET", ONE),
                          ("GET", PAGED + "&access_token=eyJsecret&x=Durand")])
        self.assertEqual([target for _, target, headers in sent if "Authorization" not in headers], [ANONYMOUS])
        self.assertEqual([headers["Accept-Language"] for _, _, headers in sent if "Accept-Language" in headers], ["fr"])
        self.assertFalse([headers for _, _, headers in sent if "If-None-Match" in headers])

        self.assertEqual(stat.S_IMODE(os.stat(record).st_mode), 0o600)
        recorded = self.read(record)
        for secret in (*self.bearer_token.split("."), "eyJ", "Durand"):
            self.assertNotIn(secret, recorded)
            self.assertNotIn(secret, log)
        self.assertEqual(recorded.count("\n"), 17)
        done, report = self.replay_json(recorded.splitlines())
        self.assertEqual((done.returncode, report["compared"], report["equal"]), (0, 17, 17))
        self.assertEqual(sum("Authorization" not in headers for _, _, headers in sent[17:]), 1)

    def test_a_difference_of_a_served_request(self):
        self.inject(BUNDLE, edit("2024-01-15T10:30:00.25+01:00", "2024-01-15T10:30:00.251+01:00"))
        with self.shadow() as server:
            answer = server.ask("GET", BUNDLE, [("Authorization", f"Bearer {self.bearer_token}")])
            self.assertIn("2024-01-15T10:30:00.25+01:00", answer.body.decode())
            status, report = server.report()
            log = server.log()
        self.assert_injected()
        self.assertEqual((status, [(each["row"], each["count"]) for each in report["rows"]]), (1, [("Answers: creationDate", 1)]))
        self.assertIn("portail: the comparison failed: 1 difference; see the report\n", log)
        self.assert_nothing_personal(json.dumps(report, ensure_ascii=False))

    def test_clients_do_not_wait_for_the_upstream(self):
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        self.incumbent.gate.clear()
        self.addCleanup(self.incumbent.gate.set)
        with self.shadow() as server:
            for target in (OWN, BUNDLE, ALL):
                self.assertEqual(server.ask("GET", target, [authorization]).status, 200)
            until(lambda: len(self.incumbent.requests) == 1, "the first request")
            self.incumbent.gate.set()
            status, report = server.report()
        self.assertEqual((status, report["compared"], report["equal"]), (0, 3, 3))
        with self.shadow(upstream="http://127.0.0.1:1") as server:
            self.assertEqual(server.ask("GET", OWN, [authorization]).status, 200)
            status, report = server.report()
        self.assertEqual((status, report["compared"], [(each["side"], each["count"]) for each in report["failures"]]), (1, 0, [("upstream", 1)]))

    def test_long_lists_and_too_many_of_them(self):
        document = self.document("long.json", mail_objects=4000)
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        with self.serve(document=document) as second, Incumbent(second.port) as incumbent:
            with self.shadow("--max-answer", "1", upstream=incumbent.url, document=document) as server:
                incumbent.gate.clear()
                with server.connect() as client:
                    sizes = [len(client.request("GET", ALL, [authorization]).body) for _ in range(8)]
                incumbent.gate.set()
                status, report = server.report()
            self.assertGreater(min(sizes), 512 * 1024)
            self.assertLess(max(sizes), 1024 * 1024)
            self.assertGreater(4 * 1024 * 1024 // sizes[0], 3)
            kept = 4 * 1024 * 1024 // sizes[0]
            self.assertEqual((status, report["compared"], report["equal"], report["dropped"]), (0, kept, kept, 8 - kept))
            self.assertEqual(len(incumbent.requests), kept)

    def test_a_list_over_the_limit_and_a_client_that_leaves(self):
        document = self.document("longer.json", mail_objects=12_000)
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        with self.serve(document=document) as second, Incumbent(second.port) as incumbent:
            with self.shadow("--max-answer", "1", upstream=incumbent.url, document=document) as server:
                self.assertGreater(len(server.ask("GET", ALL, [authorization]).body), 1024 * 1024)
                status, report = server.report()
        self.assertEqual((status, report["compared"], report["skipped"]["tooLarge"]), (1, 0, 1))
        self.assertEqual(incumbent.requests, [])

    def test_an_upstream_that_answers_too_much(self):
        self.inject(OWN, many_numbers)
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        with self.shadow() as server:
            for number in range(1, 4):
                self.assertEqual(server.ask("GET", OWN, [authorization]).status, 200)
                until(lambda: self.incumbent.injected == number, "the answer of the upstream")  # noqa: B023
            self.assertEqual(server.ask("GET", BUNDLE, [authorization]).status, 200)
            until(lambda: len(self.incumbent.requests) == 4, "the comparison of the answers")
            memory = server.peak_memory()
            status, report = server.report()
        self.assert_injected(3)
        row, = report["rows"]
        self.assertEqual((status, report["compared"], report["equal"], report["differences"]), (1, 4, 1, 3))
        self.assertEqual((row["row"], row["count"]), ("Answers: JSON text", 3))
        self.assertEqual(row["examples"][0], {"request": "GET /api/app/liasse", "location": "body, too many differences",
                                              "portal": "list of 2 elements", "upstream": "list of more than 200000 elements"})
        self.assertLess(memory, 500)

    @unittest.skipIf(os.environ.get("TEST_SANITIZE"), "a sanitizer's own memory is counted")
    def test_an_answer_for_which_memory_is_missing(self):
        self.inject(OWN, many_numbers)
        authorization = ("Authorization", f"Bearer {self.bearer_token}")
        with self.shadow() as server:
            self.assertEqual(server.ask("GET", BUNDLE, [authorization]).status, 200)
            until(lambda: len(self.incumbent.requests) == 1, "the first comparison")
            with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
                used = int(file.read().split()[0]) * resource.getpagesize()
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, (used + (40 << 20), resource.RLIM_INFINITY))
            for number in range(1, 4):
                self.assertEqual(server.ask("GET", OWN, [authorization]).status, 200)
                until(lambda: self.incumbent.injected == number, "the answer of the upstream")  # noqa: B023
            self.assertEqual(server.ask("GET", BUNDLE, [authorization]).status, 200)
            until(lambda: len(self.incumbent.requests) == 5, "the comparison of the answers")
            status, report = server.report()
        self.assertEqual((status, report["compared"], report["equal"]), (1, 2, 2))
        failures = report["failures"]  # with several reasons, if the memory was missing in several places
        self.assertEqual(({each["side"] for each in failures}, sum(each["count"] for each in failures)), ({"upstream"}, 3))
        self.assertIn("std::bad_alloc", " ".join(each["reason"] for each in failures))

    @unittest.skipIf(os.environ.get("TEST_SANITIZE"), "a sanitizer's own memory is counted")
    def test_a_replay_for_which_memory_is_missing(self):
        self.inject(OWN, many_numbers)
        limit = 200 << 20
        done, report = self.replay_json(REQUESTS, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_injected()
        self.assertEqual(report["failures"], [{"side": "upstream", "reason": "its answer was not compared: std::bad_alloc", "count": 1}])
        self.assertEqual((done.returncode, report["compared"], report["equal"]), (1, 13, 13))

    def test_a_record_is_the_owners(self):
        """A link is not followed, and a file that others could read is theirs no longer."""
        target, readable = self.write("target.jsonl", ""), self.write("readable.jsonl", '{"method":"GET","target":"/api/app/liasse"}\n')
        os.chmod(target, 0o644)
        os.chmod(readable, 0o644)
        os.symlink(target, self.path("link"))
        os.symlink(self.path("missing"), self.path("dangling"))
        os.link(target, self.path("hard"))
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        for name, reason in (("link", "it is a symbolic link"), ("dangling", "it is a symbolic link"), ("hard", "it has another name too, a hard link"),
                             ("pipe", "it is not a regular file")):
            done = run("shadow", "--upstream", self.incumbent.url, "--record", self.path(name))
            self.assert_one_line(done, 1, f"cannot write --record {self.path(name)}: {reason}")
        os.close(reader)
        self.assertFalse(os.path.exists(self.path("missing")))
        self.assertEqual((stat.S_IMODE(os.stat(target).st_mode), self.read(target)), (0o644, ""))
        with self.shadow("--record", readable) as server:
            self.assertEqual(stat.S_IMODE(os.stat(readable).st_mode), 0o600)
            self.assertEqual(server.ask("GET", OWN, [("Authorization", f"Bearer {self.bearer_token}")]).status, 200)
            server.report()
        self.assertEqual(self.read(readable).count("\n"), 2)  # appended

    def test_a_record_that_cannot_be_written(self):
        done = run("shadow", "--upstream", self.incumbent.url, "--record", self.path("none/record"))
        self.assert_one_line(done, 1, "cannot write --record", "No such file or directory")
        with self.shadow("--record", "/dev/full") as server:
            self.assertEqual(server.ask("GET", OWN, [("Authorization", f"Bearer {self.bearer_token}")]).status, 200)
            status, report = server.report()
            self.assertIn("portail: cannot write --record /dev/full: No space left on device\n", server.log())
        self.assertEqual((status, report["equal"]), (1, 1))


if __name__ == "__main__":
    unittest.main()
