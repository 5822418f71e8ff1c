"""A key set file, which is reloaded when it changes."""

import json
import os
import unittest

from support.identity import IdentityTest
from support.program import ISSUER, Server, until

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

    def test_every_refused_key_of_a_new_file_has_its_line(self):
        self.put(self.make_key("one"))
        with self.serve() as server:
            self.put({"kty": "oct", "kid": "weak", "k": "c2hvcnQ"}, {"kty": "OKP", "kid": "odd", "crv": "X25519", "x": "AA"})
            until(lambda: len(server.events("key refused")) == 2, "two lines")
            self.assertEqual([line["detail"] for line in server.events("key refused")],
                             ['keys[0] "weak": its secret is shorter than 32 bytes', 'keys[1] "odd": its crv is not Ed25519'])
            # All keys are refused: the operator removed the old ones on purpose.
            until(lambda: server.ask("GET", "/health/ready").status == 503, "no keys")
            self.assertEqual(self.status_for(server, "one"), 503)


if __name__ == "__main__":
    unittest.main()
