"""portail check --token: its report on a token agrees with the server."""

import json
import re
import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, Server, must_run, run


class CheckTokenTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.store = f"lmdb:{cls.path('store')}"
        cls.document("portal.json")
        portal = json.loads(cls.read("portal.json"))
        portal["tiers"][0]["gestionnaires"] = ["sub-manager"]
        portal["droits"] = [{"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"},
                            {"permission": "PortailClients.ObjetsCourrier.Update", "client": "robot"}]
        must_run("import", "--store", cls.store, cls.write("portal.json", json.dumps(portal)))

    def check(self, token, *flags, stdin="", environment=None):
        done = run("check", "--token", token, "--store", self.store, *self.accepting(), *flags, stdin=stdin, environment=environment)
        if token.count(".") == 2:
            self.assertNotIn(token.rsplit(".", 1)[1], done.stdout + done.stderr, "the signature")
        for key in json.loads(self.read("keys.json"))["keys"]:
            self.assertNotIn(key["x"], done.stdout + done.stderr)
        return done

    def assert_lines(self, done, *lines):
        """Each of `lines` is a line of the output, with white space folded."""
        said = [" ".join(line.split()) for line in done.stdout.splitlines()]
        for line in lines:
            self.assertIn(line, said, done.stdout + done.stderr)

    def test_a_client(self):
        done = self.check(self.token())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_lines(done, 'header alg "EdDSA", kid "test", typ "at+jwt"', 'key found: kid "test", which verifies EdDSA',
                          "signature good", f'good iss "{ISSUER}"; expected: "{ISSUER}"',
                          f'good aud "{AUDIENCE}"; expected: "{AUDIENCE}"', "good typ, token_use, events, at_hash, c_hash, s_hash, nonce (none)",
                          'good sub "sub-client"', "token ok accepted",
                          'caller "sub-client"', "roles none", "permission none", "own bundles 2", "L-00000", "L-00001",
                          "managed bundles 0")
        self.assertRegex(done.stdout, r"good +exp \d+, nbf \(none\): \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}, expires in 3\d\d\d s")

    def test_without_a_usable_key(self):
        keys = self.write("none.json", '{"keys":[]}')
        for token, said in (("x", "the token is refused: The token is not a compact JWS of three parts"), (self.token(), "503: no key")):
            done = run("check", "--token", token, "--store", self.store, *self.accepting(keys))
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)

    def test_as_it_stands_in_a_request(self):
        for before in ("Bearer ", "bearer  ", "Authorization: Bearer ", "authorization:Bearer "):
            with self.subTest(before=before):
                for argument, stdin in ((before + self.token(), ""), ("-", f"  {before}{self.token()}\r\n")):
                    done = self.check(argument, stdin=stdin)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_lines(done, "token ok accepted")

    def test_as_it_was_pasted_from_elsewhere(self):
        token = self.token()
        wrapped = "\n".join(token[at:at + 60] for at in range(0, len(token), 60))
        for text in (f'"{token}"', f"'{token}'", f'"{token}",', f"`{token}`", f'"Authorization: Bearer {token}"', f"Bearer '{token}'", wrapped,
                     f"Bearer {wrapped}\n", wrapped.replace("\n", "\r\n  ")):
            with self.subTest(text=text):
                done = self.check("-", stdin=text)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_lines(done, "token ok accepted")

    def test_a_manager_by_role_and_by_claim(self):
        done = self.check(self.token("sub-manager", "--role", "gestionnaire", "--permission", "PortailClients.Dashboard.Host"))
        self.assert_lines(done, 'roles "gestionnaire"', "permission PortailClients.Dashboard.Host, by the claim permissions",
                          'permission PortailClients.Dashboard.Host, granted to role "gestionnaire"', "own bundles 0",
                          "managed bundles 2")

    def test_a_client_itself_and_a_person_who_came_through_it(self):
        itself = self.check(self.token("robot", "--client-id", "robot"))
        self.assert_lines(itself, 'client "robot", itself: grants to it count',
                          'permission PortailClients.ObjetsCourrier.Update, granted to client "robot"')
        person = self.check(self.token("sub-client", "--client-id", "robot"))
        self.assert_lines(person, 'client "robot", for the caller: grants to it do not count', "permission none")

    def test_refused_tokens_have_the_servers_own_words(self):
        token = self.token()
        changed = token[:-10] + ("A" if token[-10] != "A" else "B") + token[-9:]
        refused = {
            "expired": self.token("sub-client", "--lifetime", "-100"),
            "another audience": self.token("sub-client", "--claim", 'aud="other"'),
            "an ID token": self.token("sub-client", "--claim", 'at_hash="x"'),
            "a logout token": self.token("sub-client", "--claim", 'events={}'),
            "a changed signature": changed,
            "two parts": "a.b",
        }
        with Server(self.folder, "--store", self.store) as server:
            for name, bad in refused.items():
                with self.subTest(name):
                    challenge = server.ask("GET", "/api/app/liasse", [("Authorization", f"Bearer {bad}")])["WWW-Authenticate"]
                    found = re.search('error_description="([^"]*)"', challenge or "")
                    self.assertTrue(found, challenge)
                    done = self.check(bad)
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertEqual(done.stderr, f"portail: the token is refused: {found[1]}\n")
                    self.assert_lines(done, f"token failed the token is refused: {found[1]}")

    def test_an_empty_token_is_refused(self):
        done = self.check("")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "portail: the token is refused: The token is not a compact JWS of three parts\n")

    def test_checks_after_a_failed_one_are_reported(self):
        done = self.check(self.token("sub-client", "--lifetime", "-100", "--claim", 'aud=["a","b"]', "--claim", "nbf=1"))
        self.assertEqual(done.returncode, 1)
        self.assert_lines(done, "signature good", f'good iss "{ISSUER}"; expected: "{ISSUER}"',
                          f'bad aud ["a","b"]; expected: "{AUDIENCE}"', "The token is not meant for this service (aud)",
                          "The token has expired", 'good sub "sub-client"')
        self.assertNotIn("own bundles", done.stdout)

    def test_the_settings_count(self):
        token = self.token("sub-client", "--claim", 'tenantid="t1"', "--claim", 'oid="someone"')
        done = self.check(token, "--tenant", "t2")
        self.assertEqual(done.returncode, 1)
        self.assert_lines(done, 'bad tenantid "t1"; expected: "t2"')
        done = self.check(token, "--tenant", "t1", environment={"PORTAIL_SUBJECT_CLAIM": "oid"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_lines(done, 'good oid "someone", sub "sub-client"', 'caller "someone"', "own bundles 0")

    def test_a_key_that_is_not_there(self):
        other = self.path("other.json")
        must_run("keys", "make", "--output", other, "--kid", "other")
        made = run("token", "--keys", other, "--issuer", ISSUER, "--audience", AUDIENCE, "--subject", "sub-client")
        done = self.check(made.stdout.strip())
        self.assertEqual(done.returncode, 1)
        self.assert_lines(done, "key not found among the 1 usable key of the set",
                          "signature not accepted: the claims below are not verified")
        self.assertNotIn("own bundles", done.stdout)

    def test_as_json(self):
        token = self.token("sub-manager", "--role", "gestionnaire", "--permission", "PortailClients.Dashboard.Host")
        done = self.check(token, "--json")
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
        found = json.loads(done.stdout)
        self.assertEqual(found["status"], "ok")
        explained = found["token"]
        self.assertEqual(list(explained), ["verdict", "reason", "header", "otherHeaderMembers", "key", "signature", "claims", "caller"])
        self.assertEqual({name: explained[name] for name in explained if name != "claims"}, {
            "verdict": 200, "reason": None, "header": {"alg": "EdDSA", "kid": "test", "typ": "at+jwt"}, "otherHeaderMembers": [],
            "key": 'found: kid "test", which verifies EdDSA', "signature": True,
            "caller": {"subject": "sub-manager", "client": None, "isClientToken": False, "roles": ["gestionnaire"],
                       "permissions": [{"name": "PortailClients.Dashboard.Host", "reason": "by the claim permissions"},
                                       {"name": "PortailClients.Dashboard.Host", "reason": 'granted to role "gestionnaire"'}],
                       "ownBundles": [], "managedBundles": 2}})
        self.assertIn({"detail": f'iss "{ISSUER}"; expected: "{ISSUER}"', "refusal": None}, explained["claims"])
        self.assertEqual([claim for claim in explained["claims"] if claim["refusal"]], [])

    def test_a_refused_token_as_json(self):
        done = self.check(self.token("sub-client", "--claim", 'aud="other"'), "--json")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "portail: the token is refused: The token is not meant for this service (aud)\n"))
        explained = json.loads(done.stdout)["token"]
        self.assertEqual((explained["verdict"], explained["reason"], "caller" in explained),
                         (401, "The token is not meant for this service (aud)", False))
        self.assertEqual([claim for claim in explained["claims"] if claim["refusal"]],
                         [{"detail": f'aud "other"; expected: "{AUDIENCE}"', "refusal": "The token is not meant for this service (aud)"}])
        done = self.check("a.b", "--json")
        self.assertEqual(json.loads(done.stdout)["status"], "failed")
        self.assertEqual(json.loads(done.stdout)["token"],
                         {"verdict": 401, "reason": "The token is not a compact JWS of three parts", "signature": False, "claims": []})

    def test_controls_do_not_reach_the_terminal(self):
        done = self.check(self.token("sub-\u001b[31m\u009b31m\u007f"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stdout), done.stdout)


if __name__ == "__main__":
    unittest.main()
