"""Untrusted bytes (documents, key sets, tokens, file names) are printed without terminal controls: no escape sequence, line end or change
of text direction reaches a terminal."""

import base64
import json
import os
import pwd
import re
import unittest

from support.program import PortailTest, Server, bundle, must_run, on_terminal, run

# In order: an escape, DEL, C1's CSI, a mark and an override of direction, an isolate, and a separator of lines.
HOSTILE = "x\u001b[2J\u007f\u009b31m\u061c\u200e\u202ezyx\u2066\u2028end"
SHOWN = "x?[2J??31m???zyx??end"
ESCAPED = json.dumps(HOSTILE)[1:-1]  # in JSON that is written for programs
QUOTED = r"x\u001b[2J??31m???zyx??end"  # in a quoted JSON string
# No command prints any of these, except for line ends.
UNSAFE = re.compile("[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


class TerminalTest(PortailTest):
    def assert_safe(self, done, *shown):
        """No unsafe character was printed, and `shown` was."""
        printed = done.stdout + done.stderr
        self.assertIsNone(UNSAFE.search(printed), repr(printed))
        for text in shown or [SHOWN]:
            self.assertIn(text, printed)

    def portal(self, **changes):
        with open(self.document(), encoding="utf-8") as file:
            portal = json.load(file)
        return self.write("hostile.json", json.dumps(portal | changes))

    def test_faults_of_a_document(self):
        self.assert_safe(run("import", "--store", "memory:", self.portal(**{HOSTILE: []})), f'unknown section "{QUOTED}"')
        for change in ({"objetsCourrier": [{HOSTILE: 1}]}, {"droits": [{"permission": HOSTILE, "role": "r"}]}):
            done = run("import", "--store", "memory:", self.portal(**change))
            self.assertEqual(done.returncode, 1)
            self.assertIsNone(UNSAFE.search(done.stdout + done.stderr), repr(done.stderr))
        # The invalid status comes from the source.
        with open(self.document(), encoding="utf-8") as file:
            portal = json.load(file)
        portal["liasses"][0]["piecesAttendues"][0]["statut"] = HOSTILE
        done = run("import", "--store", "memory:", self.write("status.json", json.dumps(portal)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_safe(done, f'unknown status "{QUOTED}": 1 piece\n')

    def test_names_of_files(self):
        store = f"dir:{self.path('exported')}"
        must_run("import", "--store", store, self.document())
        for name, shown in ((HOSTILE, SHOWN), (os.fsdecode(b"raw\x9b31m\xff"), "raw?31m?")):
            missing = self.path(name)
            for arguments in (("import", "--store", "memory:", missing), ("import", "--store", "memory:", "--root", missing, self.document()),
                              ("export", "--store", f"lmdb:{missing}"), ("keys", "show", missing), ("check", "--config", missing),
                              ("keys", "make", "--output", f"{missing}/keys.json"),
                              ("export", "--store", store, "--output", f"{missing}/copy.json")):
                with self.subTest(arguments=arguments):
                    done = run(*arguments)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assert_safe(done, shown)

    def test_key_sets_and_tokens(self):
        keys = self.write("hostile-keys.json", json.dumps({"keys": [
            {"kty": "oct", "kid": HOSTILE, "alg": "HS256", "k": "c2hvcnQ"},
            {"kty": HOSTILE, "kid": "a", "alg": HOSTILE},
            {"kty": "oct", "kid": HOSTILE + "2", "alg": "HS256", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"}]}))
        shown = run("keys", "show", keys)
        self.assert_safe(shown, f"keys[0] kid {SHOWN}, kty oct, alg HS256: refused\n", f"keys[1] kid a, kty {SHOWN}, alg {SHOWN}")
        token = ".".join((encoded({"alg": "HS256", "kid": HOSTILE, HOSTILE: 1}), encoded({"iss": HOSTILE, "sub": HOSTILE}), "AAAA"))
        checked = run("check", "--store", "memory:", *self.accepting(keys), "--token", token)
        self.assert_safe(checked, "refused: ", "other header members")

    def test_the_audit(self):
        store = f"lmdb:{self.path('audited')}"
        grants = [{"permission": "PortailClients.Dashboard.Host", kind: HOSTILE} for kind in ("utilisateur", "role", "client")]
        must_run("import", "--store", store, self.portal(droits=grants))
        done = run("audit", "--store", store)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_safe(done, pwd.getpwuid(os.geteuid()).pw_name)
        self.assertEqual(done.stdout.count("  +PortailClients.Dashboard.Host"), 3)
        self.assertEqual(done.stdout.count(f'"{QUOTED}"'), 3)
        # JSON output contains the original text, escaped.
        self.assert_safe(run("audit", "--store", store, "--json"), f'"{ESCAPED}"')
        self.assert_safe(run("export", "--store", store), f'"{ESCAPED}"')
        records = [json.loads(line) for line in run("audit", "--store", store, "--json").stdout.split("\n")[:-1]]
        added = [grant for record in records for grant in record.get("added", [])]
        self.assertEqual({grant[kind] for grant, kind in zip(added, ("client", "role", "utilisateur"))}, {HOSTILE})
        self.assertEqual(json.loads(run("export", "--store", store).stdout)["droits"][0]["utilisateur"], HOSTILE)

    def test_bytes_are_not_for_a_terminal(self):
        store = f"dir:{self.path('bytes')}"
        must_run("import", "--store", store, self.portal())
        self.assertIn("--format redis: standard output is a terminal", on_terminal("export", "--store", store, "--format", "redis"))
        self.assertIn("SET", run("export", "--store", store, "--format", "redis").stdout)

    def test_json_of_commands(self):
        document = self.portal(**{HOSTILE: []})
        refused = run("import", "--store", "memory:", "--json", document)
        self.assertEqual(refused.returncode, 1)
        self.assert_safe(refused, "faults")
        hostile = {"liasses": [bundle(id=f"L-{HOSTILE[6:]}")]}
        store = f"lmdb:{self.path('store')}"
        must_run("import", "--store", store, self.document())
        dry = run("import", "--store", store, "--dry-run", "--json", self.write("bundle.json", json.dumps(hostile)))
        self.assertEqual(dry.returncode, 1, "its id holds a control character")
        self.assert_safe(dry, "must not contain")
        grants = {"droits": [{"permission": "PortailClients.Dashboard.Host", "role": HOSTILE}]}
        for arguments in ((), ("--json",)):
            dry = run("import", "--store", store, "--dry-run", *arguments, self.write("grants.json", json.dumps(grants)))
            self.assertEqual(dry.returncode, 0, dry.stderr)
            self.assert_safe(dry, "added")
        copy = self.path(f"copy {HOSTILE}.json")
        written = run("export", "--store", store, "--output", copy, "--json")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(json.loads(written.stdout)["output"], copy)
        self.assert_safe(written, ESCAPED)
        backed_up = run("backup", "--store", store, self.path(f"backup {HOSTILE}"), "--json")
        self.assertEqual(backed_up.returncode, 0, backed_up.stderr)
        self.assert_safe(backed_up, ESCAPED)
        keys = self.write("hostile-keys.json", json.dumps({"keys": [
            {"kty": "oct", "kid": HOSTILE, "alg": "HS256", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA"},
            {"kty": HOSTILE, "kid": "a", "alg": HOSTILE}]}))
        shown = run("keys", "show", "--json", keys)
        self.assertEqual(json.loads(shown.stdout)["keys"][0]["kid"], HOSTILE)
        self.assert_safe(shown, f'"kid":"{ESCAPED}"')
        hostile_store = f"dir:{self.path(f'store {HOSTILE}')}"
        checked = run("check", "--json", "--show", "--store", hostile_store, "--insecure-http", "--issuer", "https://issuer.example/",
                      "--audience", "x", "--jwks", keys)
        self.assert_safe(checked, f"store {ESCAPED}")
        public = self.path("public-keys.json")
        must_run("keys", "public", "--input", keys, "--output", public)
        with open(public, encoding="utf-8") as file:
            text = file.read()
        self.assertIsNone(UNSAFE.search(text), repr(text))
        self.assertEqual(json.loads(text)["keys"][0]["kid"], HOSTILE)

    def test_the_log(self):
        keys = json.dumps({"keys": [{"kty": "oct", "kid": HOSTILE, "alg": "HS256", "k": "c2hvcnQ"}]})
        with Server(self.folder, "--store", "memory:", jwks=keys) as server:
            self.assertEqual(server.stop(), 0)
            self.assertIsNone(UNSAFE.search(server.log()), repr(server.log()))
            refused, = server.events("key refused")
            self.assertIn(f'"{SHOWN}"', refused["detail"])


if __name__ == "__main__":
    unittest.main()
