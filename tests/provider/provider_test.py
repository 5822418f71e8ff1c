"""Tests the portal with a real provider: the discovery document, keys and tokens of oidc-provider.

TEST_PROGRAM is the program, TEST_PROVIDER the folder in which oidc-provider was installed. Standard library only.
"""

import base64
import hashlib
import html
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "native"), os.path.join(HERE, "..", "support")]

from needed import missing  # noqa: E402
from serving import Running  # noqa: E402
from support.program import PATIENCE, PortailTest, Server, must_run, until  # noqa: E402

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")
SIGNED_IN = "https://front-end.test/signed-in"


class Provider(Running):
    """The running provider, and a browser that signs users in."""

    stop_signal = signal.SIGTERM

    def __init__(self, modules, certificate, key, log):
        super().__init__(["node", os.path.join(HERE, "provider.mjs"), "--modules", modules, "--certificate", certificate, "--key", key], log)
        found = self.wait_for(r"(?m)^provider: (https://localhost:(\d+))$")
        self.issuer, self.port = found[1], int(found[2])
        self.context = ssl.create_default_context(cafile=certificate)

    def ask(self, method, target, form=None, cookies=None, headers=None):
        """Returns status, headers and body. `cookies` is a browser's cookie jar, which is updated."""
        connection = http.client.HTTPSConnection("localhost", self.port, context=self.context, timeout=PATIENCE)
        headers = dict(headers or {})
        if cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, target, None if form is None else urllib.parse.urlencode(form), headers)
        response = connection.getresponse()
        body = response.read().decode()
        for line in response.headers.get_all("Set-Cookie") or []:
            name, _, value = line.split(";", 1)[0].partition("=")
            if cookies is not None:
                cookies[name] = value
        connection.close()
        return response.status, response.headers, body

    def change_keys(self, step):
        status, _, body = self.ask("POST", f"/keys/{step}")
        if status != 204:
            raise AssertionError(body)

    def token(self, form, headers=None):
        status, _, body = self.ask("POST", "/token", form, headers=headers)
        if status != 200:
            raise AssertionError(f"{status} {body}")
        return json.loads(body)["access_token"]

    def client_credentials_token(self, algorithm):
        """Requests a token by client credentials."""
        secret = base64.b64encode(b"robot:robot-secret").decode()
        return self.token({"grant_type": "client_credentials", "resource": f"https://portail.test/{algorithm}", "scope": "portail"},
                          {"Authorization": f"Basic {secret}"})

    def user_token(self, user, algorithm):
        """Requests a token by the authorization code flow with PKCE: signs in, consents, and exchanges the code."""
        verifier = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        resource = f"https://portail.test/{algorithm}"
        query = urllib.parse.urlencode({"client_id": "front-end", "response_type": "code", "redirect_uri": SIGNED_IN,
                                        "scope": "openid portail", "resource": resource, "code_challenge": challenge,
                                        "code_challenge_method": "S256", "state": "s"})
        cookies = {}
        status, headers, body = self.ask("GET", f"/auth?{query}", cookies=cookies)
        for _ in range(12):
            if status in (302, 303):
                address = headers["Location"]
                if address.startswith(SIGNED_IN):
                    code = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query).get("code")
                    if not code:
                        raise AssertionError(address)
                    return self.token({"grant_type": "authorization_code", "code": code[0], "redirect_uri": SIGNED_IN,
                                       "client_id": "front-end", "code_verifier": verifier, "resource": resource})
                status, headers, body = self.ask("GET", address.removeprefix(self.issuer), cookies=cookies)
                continue
            form = re.search(r'<form[^>]*action="([^"]+)"', body)
            prompt = re.search(r'name="prompt" value="(\w+)"', body)
            if status != 200 or not form or not prompt:
                raise AssertionError(f"{status} {body}")
            fields = {"prompt": prompt[1]}
            if prompt[1] == "login":
                fields |= {"login": user, "password": "any"}
            status, headers, body = self.ask("POST", html.unescape(form[1]).removeprefix(self.issuer), fields, cookies)
        raise AssertionError("the provider asks too many questions")


class ServedByProvider(Server):
    """`portail serve` that reads its keys by the provider's discovery document."""

    def __init__(self, folder, provider, *flags):
        self.provider = provider
        super().__init__(folder, *flags)

    def settings(self, folder, jwks):
        return ["--issuer", self.provider.issuer, "--audience", "portail", "--identity-ca", os.path.join(folder, "provider.pem"),
                "--tls-cert", os.path.join(folder, "certificate.pem"), "--tls-key", os.path.join(folder, "key.pem")]


class ProviderTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "365", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        cls.path("provider.key"), "-out", cls.path("provider.pem")], check=True, capture_output=True)
        cls.provider = cls.enterClassContext(Provider(os.environ["TEST_PROVIDER"], cls.path("provider.pem"), cls.path("provider.key"),
                                                      cls.path("provider.log")))
        cls.store = f"lmdb:{cls.path('store')}"
        cls.document("portal.json", user="chloe")
        portal = json.loads(cls.read("portal.json"))
        portal["droits"] = [{"permission": "PortailClients.ObjetsCourrier.Update", "client": "robot"},
                            {"permission": "PortailClients.ObjetsCourrier.Update", "client": "front-end"}]
        must_run("import", "--store", cls.store, cls.write("portal.json", json.dumps(portal)))

    def setUp(self):
        self.server = self.serve()

    def serve(self, *flags):
        server = self.enterContext(ServedByProvider(self.folder, self.provider, "--store", self.store, *flags))
        until(lambda: server.ask("GET", "/health/ready").status == 200, "the provider's keys")
        return server

    def ask(self, method, target, token, body=b""):
        headers = [("Authorization", f"Bearer {token}")]
        if body:
            headers.append(("Content-Type", "application/json"))
        return self.server.ask(method, target, headers, body)

    def update(self, token):
        return self.ask("PUT", "/api/app/objet-courrier/1", token, b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}')

    def assert_signed_with(self, token, algorithm):
        header = token.split(".")[0]
        self.assertEqual(json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["alg"], algorithm)

    def test_client_credentials(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                token = self.provider.client_credentials_token(algorithm)
                self.assert_signed_with(token, algorithm)
                answer = self.ask("GET", "/api/app/liasse", token)
                self.assertEqual((answer.status, answer.body), (200, b"[]"), answer["WWW-Authenticate"])
                self.assertEqual(self.update(token).status, 200, "what is granted to the client")

    def test_authorization_code(self):
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                token = self.provider.user_token("chloe", algorithm)
                self.assert_signed_with(token, algorithm)
                answer = self.ask("GET", "/api/app/liasse", token)
                self.assertEqual(answer.status, 200, answer["WWW-Authenticate"])
                self.assertEqual([each["id"] for each in answer.json()], ["L-00000", "L-00001"])
                self.assertEqual(self.update(token).status, 403, "what is granted to the client is not the user's")
        self.assertEqual(self.ask("GET", "/api/app/liasse/L-00000", self.provider.user_token("zoe", "EdDSA")).status, 403)

    def test_keys_rotate(self):
        """New keys are announced, then used, and the old ones are removed when their tokens have expired."""
        self.server = self.serve("--jwks-refresh", "1")
        old = {algorithm: self.provider.user_token("chloe", algorithm) for algorithm in ALGORITHMS}

        def change_keys(step, usable):
            self.provider.change_keys(step)
            until(lambda: [line["usable"] for line in self.server.events("key set loaded")][-1:] == [str(usable)], "the new key set")

        def assert_statuses(tokens, status):
            for algorithm, token in tokens.items():
                self.assertEqual(self.ask("GET", "/api/app/liasse", token).status, status, algorithm)

        change_keys("announce", 8)
        assert_statuses(old, 200)
        self.provider.change_keys("rotate")
        new = {algorithm: self.provider.user_token("chloe", algorithm) for algorithm in ALGORITHMS}
        for algorithm in ALGORITHMS:
            self.assertNotEqual(new[algorithm].split(".")[0], old[algorithm].split(".")[0], "another kid")
        assert_statuses(new, 200)
        assert_statuses(old, 200)
        change_keys("retire", 4)
        assert_statuses(new, 200)
        assert_statuses(old, 401)

    def test_a_token_explained(self):
        token = self.provider.user_token("chloe", "ES256")
        done = must_run("check", "--token", "-", "--store", self.store, *self.server.settings(self.folder, None), stdin=token)
        said = [" ".join(line.split()) for line in done.splitlines()]
        for line in ("signature good", "token ok accepted", 'caller "chloe"', "own bundles 2",
                     'client "front-end", for the caller: grants to it do not count'):
            self.assertIn(line, said, done)


if __name__ == "__main__":
    if missing(os.path.join(os.environ["TEST_PROVIDER"], "node_modules", "oidc-provider"), made_by="setup full"):
        sys.exit(1)
    unittest.main()
