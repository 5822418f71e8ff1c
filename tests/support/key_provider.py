"""An identity provider on loopback, whose answers a test changes at run time; and the checks of a host that fetches its keys
from it. Standard library only."""

import json
import pathlib
import shutil
import tempfile
import threading
import time

from http_server import Handler, HttpServer, tls_context
from portal import Portal
from waiting import until

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
DISCOVERY = "/.well-known/openid-configuration"


class KeyProvider(HttpServer):
    """Serves `documents`, by path: bytes, or a function that writes the answer to the handler that it receives. `requests` are the paths."""

    def __init__(self, certificate=None, key=None, context=None, **options):
        """With a certificate, or with a context, over TLS."""
        self.documents, self.requests = {}, []
        provider = self

        class KeyHandler(Handler):
            def do_GET(self):
                provider.requests.append(self.path)
                document = provider.documents.get(self.path)
                if callable(document):
                    return document(self)
                # A Service Worker is of another origin.
                self.send(404 if document is None else 200, document or b"", **{"Access-Control-Allow-Origin": "*"})

        super().__init__(KeyHandler, context=tls_context(certificate, key) if certificate else context, **options)

    def publish(self, *portals):
        """Serves the public keys of these portals (portal.py)."""
        keys = [key for portal in portals for key in json.loads(portal.public.read_text())["keys"]]
        self.documents["/keys"] = json.dumps({"keys": keys}).encode()

    def publish_discovery(self, issuer=None, jwks_uri=None, path=DISCOVERY):
        self.documents[path] = json.dumps({"issuer": issuer or self.url, "jwks_uri": jwks_uri or f"{self.url}/keys"}).encode()


# A host lets a token wait for a fetch of the keys for 2 s: on a busy machine, that may be too short. Later answers are not judged.
SURE_WAIT = 1.5  # seconds


def slow(handler):
    """Answers after 5 seconds: later than a request waits."""
    time.sleep(5)
    handler.send(500)


# Answers of a provider that fails, by the words of the log for each.
FAILURES = {
    "answered 500": lambda handler: handler.send(500),
    "answered 302, and redirects are not followed": lambda handler: handler.send(302, Location="/elsewhere"),
    "not a JWK set: malformed JSON": b"<html>",
    "it is larger than 256 KiB": b'{"keys":[' + b" " * 1_000_000 + b"]}",
    "timed out": slow,
}


class KeyFetching:
    """Tests for a unittest.TestCase of a host, which has the native program as `program`, and `serve(settings)`, which returns a host
    (serving.py) over a store of the sample portal, without a fetched set."""

    target = "/api/app/objet-courrier"
    swaps = True  # whether the host's store has compare-and-swap, so that one instance fetches for all
    of_host = frozenset()  # the paths that the host itself requests
    times = {"PORTAIL_JWKS_REFRESH": "1", "PORTAIL_JWKS_TIMEOUT": "1"}

    @classmethod
    def setUpClass(cls):
        """Makes `portal` and `other`, of the same issuer with the keys "one" and "two"; and the folder `sample`, a store."""
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-keys-")))
        portals = []
        for kid in ("one", "two"):
            (cls.folder / kid).mkdir()
            portal = Portal(cls.program, cls.folder / kid)
            portal.make_keys("--alg", "EdDSA", "--kid", kid)
            portals.append(portal)
        cls.portal, cls.other = portals
        cls.portal.run("import", "--store", f"dir:{cls.folder / 'sample'}", FIXTURES / "portail.json")

    def new_store(self, name="store"):
        """Returns the directory of a new copy of the sample."""
        store = self.folder / name
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(self.folder / "sample", store)
        return store

    def settings_for(self, url, more=None):
        return self.portal.settings | {"PORTAIL_JWKS": url} | self.times | (more or {})

    def status_for(self, server, portal):
        return server.ask(self.target, portal.bearer("sub-client-1"))[0]

    def wait_for_keys(self, server, portal):
        """Sends tokens until one is accepted. The first is, if the keys come while it waits for them."""
        began = time.monotonic()
        status = self.status_for(server, portal)
        if time.monotonic() - began < SURE_WAIT:
            self.assertEqual(status, 200, server.output())
        until(lambda: self.status_for(server, portal) == 200, "the keys")

    def fetches(self, provider):
        return [path for path in provider.requests if path not in self.of_host]

    def test_one_fetch_for_all_requests(self):
        with KeyProvider() as provider:
            provider.publish(self.portal)
            # A fetch that may take as long as this test on any machine.
            times = {"PORTAIL_JWKS_REFRESH": "300", "PORTAIL_JWKS_TIMEOUT": "60"}
            with self.serve(self.settings_for(f"{provider.url}/keys", times)) as server:
                self.wait_for_keys(server, self.portal)
                for portal, expected in ((self.portal, 200), (self.other, 401)):
                    bearer = portal.bearer("sub-client-1")
                    self.assertEqual([server.ask(self.target, bearer)[0] for _ in range(20)], [expected] * 20, server.output())
                self.assertEqual(server.ask("/health/ready")[0], 200)
            self.assertEqual(self.fetches(provider), ["/keys"])

    def test_a_rotation_under_load(self):
        """While the provider serves both keys, no token of either is refused. Of the requests, few reach the provider."""
        with KeyProvider() as provider:
            provider.publish(self.portal)
            with self.serve(self.settings_for(f"{provider.url}/keys")) as server:
                self.wait_for_keys(server, self.portal)
                bearers = [self.portal.bearer("sub-client-1")]
                statuses, errors, stopped = [], [], threading.Event()

                def ask():
                    try:
                        while not stopped.is_set():
                            for bearer in list(bearers):
                                statuses.append(server.ask(self.target, bearer)[0])
                    except Exception as error:  # handed over to the test
                        errors.append(error)

                began = time.monotonic()
                threads = [threading.Thread(target=ask) for _ in range(4)]
                for thread in threads:
                    thread.start()
                try:
                    until(lambda: len(statuses) > 50 or errors, "requests with the old key")
                    provider.publish(self.portal, self.other)
                    time.sleep(1.1)  # the interval of fetches, after which a new key may be used
                    self.wait_for_keys(server, self.other)
                    bearers.append(self.other.bearer("sub-client-1"))
                    known = len(statuses)
                    until(lambda: len(statuses) > known + 100 or errors, "requests with both keys")
                finally:
                    stopped.set()
                    for thread in threads:
                        thread.join()
                seconds = time.monotonic() - began
                self.assertEqual(errors, [])
                self.assertEqual(set(statuses), {200}, server.output())
                self.assertLessEqual(len(self.fetches(provider)), (2 + seconds) * (1 if self.swaps else len(threads)))
                self.assertLess(len(self.fetches(provider)), len(statuses) / 5)
                provider.publish(self.other)
                until(lambda: self.status_for(server, self.portal) == 401, "the old key's refusal")
                self.assertEqual(self.status_for(server, self.other), 200)

    def test_a_provider_that_fails(self):
        """The last keys serve."""
        with KeyProvider() as provider:
            provider.publish(self.portal)
            with self.serve(self.settings_for(f"{provider.url}/keys")) as server:
                self.wait_for_keys(server, self.portal)
                bearer = self.portal.bearer("sub-client-1")

                def logs(reason):
                    self.assertEqual(server.ask(self.target, bearer)[0], 200)
                    return reason in server.output()
                for reason, failure in FAILURES.items():
                    provider.documents["/keys"] = failure
                    until(lambda reason=reason: logs(reason), reason)
                self.assertEqual(set(self.fetches(provider)), {"/keys"})
                provider.stop()
                known = server.output().count("key set not refreshed")
                until(lambda: logs("key set not refreshed") and server.output().count("key set not refreshed") > known, "a failure")
