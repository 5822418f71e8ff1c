"""An identity provider over https, its keys, and a server that fetches them."""

import json
import os
import ssl
import warnings

from support.program import AUDIENCE, PATIENCE, PortailTest, Server, must_run, run

from http_server import tls_context  # in tests/support, which support.program adds to the path
from key_provider import KeyProvider


class Provider(KeyProvider):
    """A provider over https, by the name localhost."""

    def __init__(self, certificate, key, port=0, max_tls=ssl.TLSVersion.MAXIMUM_SUPPORTED):
        context = tls_context(certificate, key)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of TLS 1.1
            if max_tls is ssl.TLSVersion.TLSv1_1:
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
                context.minimum_version = max_tls
            context.maximum_version = max_tls
        super().__init__(port=port, context=context, host="localhost")

    def publish(self, *jwks, path="/keys"):
        self.documents[path] = json.dumps({"keys": jwks}).encode()


class OidcServer(Server):
    """`portail serve` over plain HTTP, with a provider's keys: from the URL `jwks`, or by discovery if that is unset."""

    def __init__(self, folder, provider, *flags, jwks=None, issuer=None, authority="authority.pem", **options):
        self.keys = ["--jwks", jwks] if jwks else []
        self.issuer = issuer or provider.url
        super().__init__(folder, "--store", "memory:", "--identity-ca", os.path.join(folder, authority), *flags, tls=False, **options)

    def settings(self, folder, jwks):
        return ["--issuer", self.issuer, "--audience", AUDIENCE, *self.keys, "--insecure-http"]

    def is_ready(self):
        return self.ask("GET", "/health/ready").status == 200

    def status_for(self, token):
        return self.ask("GET", "/api/app/objet-courrier", [("Authorization", f"Bearer {token}")]).status


class IdentityTest(PortailTest):
    """Adds a test authority, its certificate for `localhost`, and signing keys."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make_certificate("authority.pem", "authority.key")
        cls.make_signed_certificate("localhost", "authority", "subjectAltName=DNS:localhost")

    def provider(self, port=0, certificate="localhost.pem", key="localhost.key", **options):
        return Provider(self.path(certificate), self.path(key), port, **options)

    @classmethod
    def make_key(cls, kid):
        """Creates a signing key in the file `KID.json`, unless it exists; returns its public JWK."""
        if not os.path.exists(cls.path(f"{kid}.json")):
            must_run("keys", "make", "--output", cls.path(f"{kid}.json"), "--kid", kid)
            must_run("keys", "public", "--input", cls.path(f"{kid}.json"), "--output", cls.path(f"{kid}-public.json"))
        return json.loads(cls.read(f"{kid}-public.json"))["keys"][0]

    @classmethod
    def token_of(cls, kid, issuer):
        return must_run("token", "--keys", cls.path(f"{kid}.json"), "--issuer", issuer, "--audience", AUDIENCE, "--subject",
                        "sub-1").strip()


__all__ = ["IdentityTest", "OidcServer", "PATIENCE", "Provider"]
