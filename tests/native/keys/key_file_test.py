"""A key set file, which is reloaded when it changes."""

import json
import os
import unittest

from support.identity import IdentityTest
from support.program import AUDIENCE, ISSUER, Server, run, until

TARGET = "/api/app/objet-courrier"


class KeyFileTest(IdentityTest):
    def put(self, *jwks, text=None):
        """Replaces the file atomically."""
        self.write("set.new", text if text is not None else json.dumps({"keys": jwks}))
        os.rename(self.path("set.new"), self.path("set.json"))

    def serve(self, *flags):
        return Server(self.folder, "--store", "memory:", *flags, jwks=self.path("set.json"))

    def status_for(self, server, kid):
        return server.ask("GET", TARGET, [("Authorization", f"Bearer {self.token_of(kid, ISSUER)}")]).status

    def test_another_file_and_another_text_in_it(self):
        for cache in ("0", "1000"):
            self.put(self.make_key("one"))
            with self.subTest(cache=cache), self.serve("--token-cache", cache) as server:
                self.make_key("two")
                self.assertEqual([self.status_for(server, kid) for kid in ("one", "two")], [200, 401])
                self.put(self.make_key("one"), self.make_key("two"))
                until(lambda: self.status_for(server, "two") == 200, "the new file")
                self.assertEqual(self.status_for(server, "one"), 200)
                self.write("set.json", json.dumps({"keys": [self.make_key("two")]}))  # the same inode
                until(lambda: self.status_for(server, "one") == 401, "the new text")
                self.assertEqual(self.status_for(server, "two"), 200)
                until(lambda: len(server.events("key set loaded")) >= 3, "its line")

    def test_a_new_file_that_is_broken_changes_nothing_but_the_log(self):
        self.put(self.make_key("one"))
        with self.serve() as server:
            for broken, part in [('{"keys":[', "not a JWK set"), ("", "not a JWK set"),
                                 (" " * (1024 * 1024 + 1), "larger than 1 MiB")]:
                self.put(text=broken)
                until(lambda: any(part in line["detail"] for line in server.events("key set not refreshed")), part)
                self.assertEqual(self.status_for(server, "one"), 200)
                self.assertEqual(server.ask("GET", "/health/ready").status, 200)
            os.remove(self.path("set.json"))
            until(lambda: any("No such file" in line["detail"] for line in server.events("key set not refreshed")), "a line")
            self.assertEqual(self.status_for(server, "one"), 200)
            self.put(self.make_key("one"))
            until(lambda: server.events("key set refreshed again"), "the good file")
            self.assertEqual(self.status_for(server, "one"), 200)

    def test_a_refused_key_has_one_line_and_leaves_the_others(self):
        one = self.make_key("one")
        self.put(one | {"use": "enc", "d": "AA"}, one | {"alg": None, "use": "", "key_ops": [], "x5c": [], "oth": []},
                 self.make_key("two") | {"kid": "one"})
        with self.serve() as server:
            self.assertEqual(self.status_for(server, "one"), 200)
            self.assertEqual([line["detail"] for line in server.events("key refused")], ['keys[0] "one": its use is not sig'])
            self.assertEqual(server.events("key set has private members"), [])
            self.put(text='{"keys":[{"kid":"twice","kid":"twice"},' + json.dumps(one) + "]}")
            until(lambda: len(server.events("key refused")) == 2, "the line of the new file")
            self.assertEqual(server.events("key refused")[1]["detail"], 'keys[0] "twice": it has two members kid')
            self.assertEqual(self.status_for(server, "one"), 200)

    def test_a_pem_file_is_named(self):
        pem = self.write("public.pem", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n")
        for command in (["check", "--store", "memory:", "--insecure-http", "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks", pem],
                        ["keys", "show", pem]):
            self.assert_one_line(run(*command), 1, "public.pem cannot be used: not a JWK set: it is PEM, not JSON; convert it to a JWK set")
        text = run("check", "--store", "memory:", "--insecure-http", "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks", self.read("public.pem"))
        self.assert_one_line(text, 2, "--jwks is PEM; convert it to a JWK set (RFC 7517)")

    def test_every_refused_key_of_a_new_file_has_its_line(self):
        self.put(self.make_key("one"))
        with self.serve() as server:
            self.put({"kty": "oct", "kid": "weak", "k": "c2hvcnQ"}, {"kty": "OKP", "kid": "odd", "crv": "X25519", "x": "AA"})
            until(lambda: len(server.events("key refused")) == 2, "two lines")
            self.assertEqual([line["detail"] for line in server.events("key refused")],
                             ['keys[0] "weak": its secret is shorter than 32 bytes', 'keys[1] "odd": its crv X25519 is not supported; tokens need Ed25519'])
            # All keys are refused: the operator removed the old ones on purpose.
            until(lambda: server.ask("GET", "/health/ready").status == 503, "no keys")
            self.assertEqual(self.status_for(server, "one"), 503)


if __name__ == "__main__":
    unittest.main()
