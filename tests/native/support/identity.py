"""An identity provider for tests: an https server whose answers a test changes at run time, and its keys."""

import json
import os
import ssl
import subprocess
import warnings

from support.program import AUDIENCE, PATIENCE, PortailTest, Server, must_run, run

from http_server import Handler, HttpServer, tls_context  # in tests/support, which support.program adds to the path


class Provider(HttpServer):
    """Serves `documents`, by path: bytes, or a function that writes the answer to the handler that it receives."""

    def __init__(self, certificate, key, port=0, max_tls=ssl.TLSVersion.MAXIMUM_SUPPORTED):
        self.documents, self.requests = {}, []
        provider = self

        class KeyHandler(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                provider.requests.append(self.path)
                document = provider.documents.get(self.path)
                if callable(document):
                    self.close_connection = True
                    return document(self)
                self.send(404 if document is None else 200, document or b"")

        context = tls_context(certificate, key)
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of TLS 1.1
            if max_tls is ssl.TLSVersion.TLSv1_1:
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
                context.minimum_version = max_tls
            context.maximum_version = max_tls
        super().__init__(KeyHandler, port, context, "localhost")

    def publish(self, *jwks, path="/keys"):
        self.documents[path] = json.dumps({"keys": jwks}).encode()

    def publish_discovery(self, issuer=None, jwks_uri=None, path="/.well-known/openid-configuration"):
        document = {"issuer": issuer or self.url, "jwks_uri": jwks_uri or f"{self.url}/keys"}
        self.documents[path] = json.dumps(document).encode()


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
        cls.make_authority()

    @classmethod
    def make_authority(cls):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=cls.folder)
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *curve, "-days", "365", "-subj", "/CN=test authority", "-keyout", "authority-key.pem", "-out",
                "authority.pem")
        openssl("req", *curve, "-subj", "/CN=localhost", "-keyout", "provider-key.pem", "-out", "provider.csr")
        cls.write("provider.ext", "subjectAltName=DNS:localhost\n")
        openssl("x509", "-req", "-in", "provider.csr", "-CA", "authority.pem", "-CAkey", "authority-key.pem", "-days", "365",
                "-extfile", "provider.ext", "-out", "provider.pem")

    def provider(self, port=0, certificate="provider.pem", key="provider-key.pem", **options):
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
