"""The commands import, export, token, keys and check; audit_test.py has audit."""

import base64
import json
import os
import re
import stat
import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, Server, must_run, on_terminal, run

COMMANDS = ("serve", "check", "explain", "import", "export", "migrate", "backup", "restore", "touch", "audit", "person", "status", "shadow", "development", "token", "keys", "completions", "manual", "version")
LIBRARIES = ("OpenSSL", "libsodium", "LMDB", "hiredis", "libpq", "SQLite", "libcurl", "zlib", "Zstandard", "simdjson",
             "prometheus-cpp", "toml++", "CLI11")


def decoded(part):
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class CommandsTest(PortailTest):
    def test_help_and_version(self):
        for command in ((), *((name,) for name in COMMANDS if name not in ("keys", "person")), ("keys", "make"), ("keys", "public"),
                        ("keys", "show"), ("person", "export"), ("person", "erase")):
            done = run(*command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertIn("Usage" if "Usage" in done.stdout else "USAGE", done.stdout)
            self.assertIn(f"\n  {' '.join(('portail', *command))} ", done.stdout.partition("Examples:")[2])
            self.assertEqual(run("help", *command).stdout, done.stdout)
        for command in ("serve", "check", "import", "audit", "token"):
            self.assertEqual(run("help", command).stdout.count("ms, s, min, h or d"), 1, command)
        self.assertEqual(run("manual").stdout.count("ms, s, min, h or d"), 1)
        statuses = "Exit status: 0 done, 1 failed, 2 invalid command line or setting"
        self.assertIn(statuses, run("help").stdout)
        number = r"\d+\.\d+(\.\d+)?"
        libraries = ", ".join(f"{re.escape(name)} {number}" for name in LIBRARIES)
        self.assertRegex(run("--version").stdout, rf"^portail {number}\nbuilt by \w+ {number} for Linux \S+\nwith {libraries}\n$")
        self.assertEqual(run("version").stdout, run("--version").stdout)

    def test_the_version_for_scripts(self):
        done = run("version", "--json")
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
        said = json.loads(done.stdout)
        self.assertEqual((list(said), tuple(said["libraries"])), (["version", "compiler", "system", "libraries"], LIBRARIES))
        self.assertEqual(run("version").stdout, f"portail {said['version']}\nbuilt by {said['compiler']} for {said['system']}\nwith "
                         + ", ".join(f"{name} {version}" for name, version in said["libraries"].items()) + "\n")

    def test_listening_on_this_machine_and_on_every_address(self):
        for address, shown in [("localhost", "127.0.0.1"), ("LocalHost", "127.0.0.1"), ("0.0.0.0", "localhost"), ("[::]", "localhost"),
                               ("", "localhost")]:
            with self.subTest(address=address), Server(self.folder, "--store", "memory:", address=address) as server:
                self.assertEqual((server.address, server.first_line.endswith(" (every address)\n")), (shown, shown == "localhost"))
                self.assertEqual(server.ask("GET", "/health/ready").status, 200)

    def store_with_template(self, folder):
        """Creates FOLDER/store, with one template file, "one"."""
        os.makedirs(self.path(f"{folder}/source"))
        self.write(f"{folder}/source/a.pdf", "one")
        template = {"nomFichier": "a.pdf", "chemin": "a.pdf", "type": "application/pdf"}
        document = self.write(f"{folder}/source/portail.json", json.dumps({"objetsCourrier": [
            {"id": 1, "typeObjet": "A", "description": "", "utilisablePourLiasse": True, "typeAffectation": "Rien",
             "fichierModele": template}]}))
        must_run("import", "--store", f"lmdb:{self.path(folder)}/store", document)
        return f"lmdb:{self.path(folder)}/store"

    def test_export_for_scripts(self):
        store, folder = self.store_with_template("summary"), self.path("summary")

        def summary(*flags):
            done = run("export", "--store", store, "--json", *flags)
            self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
            return json.loads(done.stdout)
        output = f"{folder}/copy.json"
        self.assertEqual(summary("--output", output), {"output": output, "root": folder, "templateFiles": 1, "leftOut": 0})
        self.assertEqual(summary("--output", "/dev/null"), {"output": "/dev/null", "root": None, "templateFiles": 0, "leftOut": 1})
        self.assertIn("left out 1 template file: ", run("export", "--store", store).stderr)
        values = f"{folder}/values.jsonl"
        self.assertEqual(summary("--output", values, "--format", "json-lines"),
                         {"output": values, "root": None, "templateFiles": 0, "leftOut": 0})
        self.assert_one_line(run("export", "--store", store, "--json"), 2, "--json", "--output")
        self.assert_one_line(run("export", "--store", store, "--json", "--output", output), 1, f"{output} already exists")

    def test_export_overwrites_only_on_request(self):
        store, output, model = self.store_with_template("kept"), self.path("kept/copy.json"), self.path("kept/modeles/1-a.pdf")
        self.write("kept/copy.json", "precious")
        self.assert_one_line(run("export", "--store", store, "--output", output), 1, f"{output} already exists", "--overwrite")
        self.assertEqual(self.read("kept/copy.json"), "precious")
        self.assertFalse(os.path.exists(model))
        os.remove(output)
        os.mkdir(self.path("kept/modeles"))
        for text in ("two", "other"):  # of the same length, and of another
            self.write("kept/modeles/1-a.pdf", text)
            self.assert_one_line(run("export", "--store", store, "--output", output), 1, f"{model} already exists", "--overwrite")
            self.assertEqual((self.read("kept/modeles/1-a.pdf"), os.path.exists(output)), (text, False))
        self.write("kept/modeles/1-a.pdf", "one")  # the same content as the export
        must_run("export", "--store", store, "--output", output)
        self.write("kept/modeles/1-a.pdf", "two")
        must_run("export", "--store", store, "--output", output, "--overwrite")
        self.assertEqual(self.read("kept/modeles/1-a.pdf"), "one")

    def test_an_empty_section_is_allowed_by_either_name(self):
        grants = self.write("grants.json", '{"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"}]}')
        none = self.write("none.json", '{"droits":[]}')
        store = f"dir:{self.path('emptied')}"
        for flag in ("--yes", "--allow-empty-sections"):
            must_run("import", "--store", store, grants)
            refused = run("import", "--store", store, none)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("droits: the section is empty, so the import would remove all stored elements", refused.stderr)
            self.assertIn("droits           0 added, 0 changed, 0 unchanged, 1 removed\n", must_run("import", "--store", store, flag, none))

    def test_dry_run_writes_nothing(self):
        folder = self.path("not-made")
        done = must_run("import", "--store", f"lmdb:{folder}", "--dry-run", self.document())
        self.assertIn("nothing was written", done)
        self.assertFalse(os.path.exists(folder))

    def test_a_dry_run_says_of_each_entity_what_would_change(self):
        store = f"lmdb:{self.path('dry')}"
        must_run("import", "--store", store, self.document())
        portal = json.loads(self.read("portail.json"))
        portal["tiers"][0]["nomTiers"] = "Autre"
        gone = portal["liasses"].pop(1)
        portal["droits"] = [{"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}]
        done = run("import", "--store", store, "--dry-run", "--prune", self.write("changed.json", json.dumps(portal)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.partition("nothing was written")[0].splitlines(),
                         [f'changed tiers "{portal["tiers"][0]["numeroTiers"]}": nomTiers', f'removed liasses "{gone["id"]}"',
                          'added droits PortailClients.Dashboard.Host role "gestionnaire"'])

    def test_the_report_of_an_import_as_json(self):
        store = f"lmdb:{self.path('reported')}"
        none = {"added": 0, "changed": 0, "unchanged": 0, "removed": 0}
        done = run("import", "--store", store, "--json", self.document())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout), {
            "dryRun": False, "sections": {"objetsCourrier": none | {"added": 3}, "tiers": none | {"added": 1}, "liasses": none | {"added": 2}},
            "deposits": 0, "unknownStatuses": [], "piecesOfFurtherStatuses": 0, "faults": [], "faultCount": 0})
        portal = json.loads(self.read("portail.json"))
        portal["tiers"][0]["nomTiers"] = "Autre"
        portal["liasses"][0]["piecesAttendues"][0]["statut"] = "Neuf\u001b"
        portal["droits"] = [{"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}]
        done = run("import", "--store", store, "--dry-run", "--json", self.write("changed.json", json.dumps(portal)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *changes, report = map(json.loads, done.stdout.splitlines())
        self.assertEqual(changes, [
            {"change": "changed", "section": "tiers", "entity": "T1", "members": ["nomTiers"]},
            {"change": "changed", "section": "liasses", "entity": "L-00000", "members": ["piecesAttendues"],
             "pieces": [{"id": "3f2504e0-4f89-41d3-9a0c-000000000000", "from": "Attendu", "to": "Neuf\u001b"}]},
            {"change": "added", "section": "droits", "entity": 'PortailClients.Dashboard.Host role "gestionnaire"'}])
        self.assertEqual((report["dryRun"], report["unknownStatuses"]), (True, [{"status": "Neuf\u001b", "pieces": 1}]))
        del portal["liasses"][0]["id"]
        done = run("import", "--store", store, "--json", self.write("faulty.json", json.dumps(portal)))
        self.assert_one_line(done, 1, "nothing was imported: 1 fault")
        report = json.loads(done.stdout)
        self.assertEqual((report["faultCount"], len(report["faults"])), (1, 1))
        self.assertIn("liasses[0]", report["faults"][0])

    def test_progress_is_for_a_terminal(self):
        store, document = f"lmdb:{self.path('progress')}", self.document(bundles=50)
        shown = on_terminal("import", "--store", store, document, environment={"TERM": "xterm"})
        self.assertNotIn("\033", on_terminal("import", "--store", f"lmdb:{self.path('dumb')}", document, environment={"TERM": "dumb"}))
        self.assertIn("\r\033[Kchecking  [########################################] 100 %", shown)
        self.assertIn("\r\033[KobjetsCourrier   3 added", shown)  # the line is gone before
        output = self.path("progress.json")
        dumb = on_terminal("export", "--store", store, "--output", output, environment={"TERM": "dumb"})
        self.assertEqual(dumb, f"portail: wrote {output}\r\n")
        dumb = on_terminal("migrate", store, f"lmdb:{self.path('migrated')}", environment={"TERM": "dumb"})
        self.assertRegex(dumb, r"^migrated         [^\r\n\033]+\r\n$")
        shown = on_terminal("export", "--store", store, "--output", output, "--overwrite", environment={"TERM": "xterm"})
        self.assertIn("\r\033[Kexporting, KiB written: 0\r\033[Kportail: wrote ", shown)
        self.assertNotIn("exporting", on_terminal("export", "--store", store, environment={"TERM": "xterm"}))
        self.assertEqual(run("export", "--store", store, "--output", output, "--overwrite").stderr, f"portail: wrote {output}\n")

    def test_keys(self):
        file = self.path("made.json")
        types = {"EdDSA": "OKP", "ES256": "EC", "RS256": "RSA", "PS256": "RSA", "HS256": "oct"}
        for algorithm, kty in types.items():
            must_run("keys", "make", "--output", file, "--alg", algorithm, "--kid", "k1")
            self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
            before = self.read("made.json")
            self.assert_one_line(run("keys", "make", "--output", file), 1, "exists")
            self.assertEqual(self.read("made.json"), before)
            public = self.path(f"{algorithm}-public.json")
            must_run("keys", "public", "--input", file, "--output", public)
            self.assertEqual(stat.S_IMODE(os.stat(public).st_mode), 0o600 if algorithm == "HS256" else 0o644)
            private_members = {"d", "p", "q", "dp", "dq", "qi"}
            self.assertEqual(bool(private_members & json.loads(before)["keys"][0].keys()), algorithm != "HS256")
            self.assertFalse(private_members & json.loads(self.read(f"{algorithm}-public.json"))["keys"][0].keys())
            shown = must_run("keys", "show", public)
            self.assertIn(f"kid k1, kty {kty}, alg {algorithm}: used", shown)
            token = run("token", "--keys", file, "--issuer", ISSUER, "--audience", AUDIENCE)
            self.assertEqual(decoded(token.stdout.split(".")[0]), {"alg": algorithm, "kid": "k1", "typ": "at+jwt"})
            os.remove(file)
        weak = self.write("weak.json", '{"keys":[{"kty":"oct","kid":"w","alg":"HS256","k":"c2hvcnQ"}]}')
        done = run("keys", "show", weak)
        self.assertEqual(done.returncode, 1)
        self.assertIn("refused", done.stdout)
        in_json = run("keys", "show", "--json", weak)
        self.assertEqual((in_json.returncode, in_json.stderr), (1, done.stderr))
        self.assertEqual(json.loads(in_json.stdout), {"usable": 0, "keys": [
            {"kid": "w", "kty": "oct", "alg": "HS256", "used": False, "remarks": ["its secret is shorter than 32 bytes"]}]})
        self.assert_one_line(run("keys", "make", "--output", file, "--alg", "none"), 2, "--alg")

    def test_keys_for_scripts(self):
        must_run("keys", "make", "--output", self.path("private.json"), "--kid", 'a "b"')
        made = json.loads(self.read("private.json"))["keys"][0]
        keys = self.write("mixed.json", json.dumps({"keys": [made, "no key", {"kty": "EC", "kid": 7}]}))
        done = run("keys", "show", keys, "--json")
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
        shown = json.loads(done.stdout)
        self.assertEqual((list(shown), shown["usable"]), (["usable", "keys"], 1))
        self.assertEqual([(key["kid"], key["kty"], key["alg"], key["used"], len(key["remarks"])) for key in shown["keys"]],
                         [('a "b"', "OKP", "EdDSA", True, 1), (None, None, None, False, 1), (None, "EC", None, False, 1)])
        self.assertNotIn(made["d"], done.stdout)
        self.assert_one_line(run("keys", "show", "--json", self.write("broken.json", "{")), 1, "broken.json")

    def test_tokens(self):
        header, claims, _ = self.token("sub-1", "--role", "a", "--role", "b", "--permission", "P", "--client-id", "web",
                                       "--lifetime", "60", "--claim", "tenantid=\"t\"", "--claim", "n=1.5").split(".")
        self.assertEqual(decoded(header), {"alg": "EdDSA", "kid": "test", "typ": "at+jwt"})
        claims = decoded(claims)
        self.assertEqual(claims["exp"] - claims["iat"], 60)
        del claims["exp"], claims["iat"]
        self.assertEqual(claims, {"iss": ISSUER, "aud": AUDIENCE, "sub": "sub-1", "client_id": "web", "role": ["a", "b"],
                                  "permissions": ["P"], "tenantid": "t", "n": 1.5})
        for lifetime, seconds in (("1h", 3600), ("5min", 300), ("2d", 172_800), ("3000ms", 3), ("-1h", -3600), ("-100", -100), ("0", 0)):
            claims = decoded(self.token("sub-1", "--lifetime", lifetime).split(".")[1])
            self.assertEqual(claims["exp"] - claims["iat"], seconds)
        common = ["token", "--keys", self.path("keys.json"), "--issuer", ISSUER, "--audience", AUDIENCE]
        self.assert_one_line(run(*common, "--claim", "x=y"), 2, "not JSON")
        self.assert_one_line(run(*common, "--claim", "x"), 2, "NAME=JSON")
        self.assert_one_line(run("token", "--keys", self.path("public.json"), "--issuer", "i", "--audience", "a"), 1, "public.json")


if __name__ == "__main__":
    unittest.main()
