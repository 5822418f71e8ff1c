"""Keys from an identity provider: over https, by discovery, during its failures and rotations."""

import gzip
import json
import os
import socket
import ssl
import subprocess
import threading
import time
import unittest

from support.hostile import endless
from support.identity import PATIENCE, IdentityTest, OidcServer
from support.program import AUDIENCE, Worker, free_port, run, until

from key_provider import KeyProvider as PlainProvider  # in tests/support, which support.program adds to the path

# A host whose OpenSSL accepts what it rejects by default.
LENIENT_OPENSSL = """openssl_conf = all
[all]
ssl_conf = ssl
[ssl]
system_default = defaults
[defaults]
MinProtocol = TLSv1
CipherString = DEFAULT:@SECLEVEL=0
"""

# A server lets a token wait for a fetch of the keys for 2 s: on a busy machine, that may be too short. Later answers are not judged.
SURE_WAIT = 1.5  # seconds

WEAK = {"kty": "oct", "kid": "weak", "alg": "HS256", "k": "c2hvcnQ"}


class IdentityProviderTest(IdentityTest):
    def assert_never_ready(self, server, *parts):
        """The source is refused: the program logs the reason and is not ready."""
        line = until(lambda: server.events("key set not refreshed"), "a line about the key set")[0]
        for part in parts:
            self.assertIn(part, line["detail"])
        self.assertGreaterEqual(line["consecutiveFailures"], 1)
        self.assertIsNone(line["keySetAgeSeconds"])
        self.assertFalse(server.is_ready())

    def test_discovery(self):
        for end in ("", "/", "/realms/portail"):
            with self.subTest(end=end), self.provider() as provider:
                issuer = provider.url + end
                provider.publish(self.make_key("one"), path="/somewhere?keys")
                provider.publish_discovery(issuer, provider.url + "/somewhere?keys",
                                           path=end.rstrip("/") + "/.well-known/openid-configuration")
                with OidcServer(self.folder, provider, issuer=issuer) as server:
                    until(server.is_ready, "the keys")
                    self.assertEqual(server.status_for(self.token_of("one", issuer)), 200)

    def test_plain_http_of_a_loopback_address_in_a_trial(self):
        with PlainProvider() as provider:
            provider.documents["/keys"] = json.dumps({"keys": [self.make_key("one")]}).encode()
            provider.publish_discovery(provider.url)
            for jwks in (f"{provider.url}/keys", f"{provider.url}/.well-known/openid-configuration", None):
                with self.subTest(jwks=jwks), OidcServer(self.folder, provider, jwks=jwks) as server:
                    until(server.is_ready, "the keys")
                    self.assertEqual(server.status_for(self.token_of("one", provider.url)), 200)
            refused = run("serve", "--store", "memory:", "--issuer", provider.url, "--audience", AUDIENCE, "--jwks", f"{provider.url}/keys",
                          "--tls-cert", self.path("localhost.pem"), "--tls-key", self.path("localhost.key"))
            self.assertEqual(refused.returncode, 2)
            self.assertIn("must not be an http URL", refused.stderr)

    def test_a_discovery_document_that_cannot_be_trusted(self):
        for document, part in [({"issuer": "https://other.test"}, "https://other.test"),
                               ({"jwks_uri": "http://localhost/keys"}, "jwks_uri"), ({"jwks_uri": 1}, "jwks_uri")]:
            with self.subTest(document=document), self.provider() as provider:
                provider.publish_discovery(**document)
                with OidcServer(self.folder, provider) as server:
                    self.assert_never_ready(server, part)
                    self.assertEqual(set(provider.requests), {"/.well-known/openid-configuration"})

    def test_no_proxy_is_used_for_this_machine(self):
        with self.provider() as provider, socket.create_server(("127.0.0.1", 0)) as proxy:
            provider.publish(self.make_key("one"))
            names = ("http_proxy", "https_proxy", "all_proxy")
            environment = dict.fromkeys((*names, *map(str.upper, names)), f"http://127.0.0.1:{proxy.getsockname()[1]}")
            with OidcServer(self.folder, provider, jwks=provider.url + "/keys", environment=environment) as server:
                until(server.is_ready, "the keys")
                self.assertEqual(server.status_for(self.token_of("one", provider.url)), 200)
            proxy.setblocking(False)
            with self.assertRaises(BlockingIOError):  # no connection waits to be accepted
                proxy.accept()

    def test_what_is_no_key_set(self):
        """Redirects are not followed. The size is that of the decoded document."""
        key_set = json.dumps({"keys": [self.make_key("one")]}).encode()
        with self.provider() as provider:
            provider.documents["/elsewhere"] = key_set
            for document, part in [
                (b"<html>", "not a JWK set"), (b'{"no":"keys"}', "not a JWK set"), (None, "answered 404"),
                (b'{"keys":[' + b" " * (256 * 1024) + b"]}", "larger than 256 KiB"),
                (lambda handler: handler.send(302, Location=provider.url + "/elsewhere"), "302, and redirects are not followed"),
                (lambda handler: handler.send(200, gzip.compress(b" " * (256 * 1024) + key_set), **{"Content-Encoding": "gzip"}), "larger than 256 KiB"),
                (lambda handler: handler.send_response(204) or handler.end_headers(), "answered 204, and only 200 has the document"),
            ]:
                with self.subTest(part=part):
                    provider.documents["/keys"] = document
                    with OidcServer(self.folder, provider, jwks=provider.url + "/keys") as server:
                        self.assert_never_ready(server, part)
            self.assertNotIn("/elsewhere", provider.requests)

    def test_how_an_answer_may_be_sent(self):
        key_set = json.dumps({"keys": [self.make_key("one")]}).encode()

        def interim(handler):
            handler.send_response_only(103)
            handler.send_header("Link", "</a>")
            handler.end_headers()
            handler.send(200, key_set)

        def until_its_end(handler):
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(key_set)
            handler.connection.unwrap()

        for name, document in (("compressed", lambda handler: handler.send(200, gzip.compress(key_set), **{"Content-Encoding": "gzip"})),
                               ("after an interim answer", interim), ("until the end of the connection", until_its_end)):
            with self.subTest(name), self.provider() as provider:
                provider.documents["/keys"] = document
                with OidcServer(self.folder, provider, jwks=provider.url + "/keys") as server:
                    until(server.is_ready, "the keys")
                    self.assertEqual(server.status_for(self.token_of("one", provider.url)), 200)

    def test_an_answer_without_end_is_bounded_wherever_that_is(self):
        begin = b"HTTP/1.1 200 OK\r\n"
        interim = b"HTTP/1.1 100 Continue\r\n\r\n"
        chunked = begin + b"Transfer-Encoding: chunked\r\n\r\n"
        rows = {"a status line": (b"HTTP/1.1 200 ", b"x"), "a header": (begin + b"X: ", b"x"), "headers": (begin, b"X: x\r\n"),
                "interim answers": (interim, interim), "a chunk's size": (chunked, b"0"),
                "a chunk's extension": (chunked + b"1;", b"x"), "chunks": (chunked, b"1\r\n \r\n"),
                "a chunk": (chunked + b"7fffffff\r\n", b" "), "trailers": (chunked + b"0\r\n", b"X: x\r\n"),
                "a body of 2^62 bytes": (begin + b"Content-Length: 4611686018427387904\r\n\r\n", b" ")}
        for name, (first, repeated) in rows.items():
            began = threading.Event()

            def without_end(handler):
                try:
                    for piece in endless(first, repeated, max_bytes=1 << 40):
                        handler.wfile.write(piece)
                        began.set()
                except OSError:
                    pass

            with self.subTest(name), self.provider() as provider:
                provider.documents["/keys"] = without_end
                with OidcServer(self.folder, provider, "--jwks-timeout", "2", jwks=provider.url + "/keys") as server:
                    self.assert_never_ready(server, "cannot fetch")
                    self.assertTrue(began.is_set())
                    self.assertLess(server.peak_memory(), 128)
                    self.assertEqual(server.ask("GET", "/health/live").status, 200)
                    self.assertEqual(server.stop(), 0)

    def test_a_certificate_larger_than_any_is_refused(self):
        """OpenSSL accepts a chain of at most 100 KiB."""
        names = ",".join(f"DNS:{number:05}.{'x' * 40}.test" for number in range(2300))
        self.assertGreater(len(names), 120_000)
        self.make_certificate("large.pem", "large-key.pem", "-days", "365", "-addext", "subjectAltName=" + names)
        with self.provider(certificate="large.pem", key="large-key.pem") as provider:
            provider.publish(self.make_key("one"))
            with OidcServer(self.folder, provider, jwks=provider.url + "/keys", authority="large.pem") as server:
                self.assert_never_ready(server, "cannot fetch")
                self.assertEqual(provider.requests, [])

    def test_the_certificate_is_checked(self):
        with self.provider() as provider:
            provider.publish(self.make_key("one"))
            with OidcServer(self.folder, provider, jwks=f"https://127.0.0.1:{provider.port}/keys") as server:
                self.assert_never_ready(server, "certificate is for another name")
            with OidcServer(self.folder, provider, jwks=provider.url + "/keys", authority="certificate.pem") as server:
                self.assert_never_ready(server, "not from a trusted authority")
            self.assertEqual(provider.requests, [])

    def test_keys_are_fetched_by_tls_1_2_at_least(self):
        lenient = {"OPENSSL_CONF": self.write("openssl.cnf", LENIENT_OPENSSL)}
        for version, name in (ssl.TLSVersion.TLSv1_1, "TLSv1.1"), (ssl.TLSVersion.TLSv1_2, "TLSv1.2"):
            with self.subTest(name), self.provider(max_tls=version) as provider:
                provider.publish(self.make_key("one"))
                # Another client of this host speaks it.
                command = ["openssl", "s_client", "-connect", f"localhost:{provider.port}", "-CAfile", self.path("authority.pem")]
                client = subprocess.run(command, input="", capture_output=True, text=True, env=os.environ | lenient, timeout=PATIENCE)
                self.assertRegex(client.stdout, f"New, {name}, Cipher is ECDHE-|Protocol *: {name}\n")
                with OidcServer(self.folder, provider, jwks=provider.url + "/keys", environment=lenient) as server:
                    if version is ssl.TLSVersion.TLSv1_2:
                        until(server.is_ready, "the keys")
                    else:
                        self.assert_never_ready(server, "cannot fetch")
                        self.assertEqual(provider.requests, [])

    def test_stopping_does_not_wait_for_a_fetch(self):
        release = threading.Event()
        with self.provider() as provider:
            provider.documents["/keys"] = lambda _: release.wait(PATIENCE)
            with OidcServer(self.folder, provider, "--jwks-timeout", "60", jwks=provider.url + "/keys") as server:
                until(lambda: provider.requests, "the fetch")
                began = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - began, 40)
            release.set()

    def test_a_provider_that_comes_late(self):
        port = free_port()
        issuer = f"https://localhost:{port}"
        with OidcServer(self.folder, None, jwks=f"{issuer}/keys", issuer=issuer) as server:
            self.assert_never_ready(server, "cannot fetch")
            self.assertEqual(server.status_for(self.token_of_new_key("one", issuer)), 503)
            with self.provider(port) as provider:
                provider.publish(self.make_key("one"))
                until(server.is_ready, "the keys, after some retries")
                self.assertEqual(server.status_for(self.token_of("one", issuer)), 200)
                until(lambda: server.events("key set refreshed again"), "its line")
                line = until(lambda: server.events("key set loaded"), "its line")[0]
                self.assertEqual((line["source"], line["usable"], line["refused"]), (f"{issuer}/keys", "1", "0"))

    def enter(self, connection):
        self.addCleanup(connection.close)
        return connection

    @staticmethod
    def send(connection, token):
        connection.send(f"GET /api/app/objet-courrier HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\r\n")

    def token_of_new_key(self, kid, issuer):
        self.make_key(kid)
        return self.token_of(kid, issuer)

    def test_the_only_worker_serves_others_while_tokens_wait_for_a_key(self):
        """While any number of requests wait for a key, all others are served; the pending ones use the new key."""
        with self.provider() as provider:
            provider.publish(self.make_key("one"))
            known = self.token_of("one", provider.url)
            unknown = self.token_of_new_key("unknown", provider.url)
            with OidcServer(self.folder, provider, "--jwks-min-interval", "0", "--jwks-timeout", "60", "--workers", "1",
                            jwks=provider.url + "/keys") as server:
                until(server.is_ready, "the keys")
                for attempt in range(20):
                    key = self.make_key(f"new-{attempt}")
                    new = self.token_of(f"new-{attempt}", provider.url)
                    # A new connection each time: the server ends connections that are idle for long.
                    attackers = [self.enter(server.connect()) for _ in range(100)]
                    client = self.enter(server.connect())
                    hold = DelayedKeys(provider)
                    began = time.monotonic()
                    for attacker in attackers:
                        self.send(attacker, unknown)
                    until(lambda: hold.is_requested, "the fetch")
                    self.send(client, new)
                    self.assertEqual(server.status_for(known), 200)
                    provider.publish(self.make_key("one"), key)
                    hold.release()
                    in_time = time.monotonic() - began < SURE_WAIT
                    answers = [connection.read() for connection in (*attackers, client)]
                    if in_time:
                        break
                self.assertEqual([answer.status for answer in answers], [401] * len(attackers) + [200])

    def test_a_stop_loses_no_request_that_waits_for_a_key(self):
        for shutdown_timeout in ("30", "1"):
            with self.subTest(shutdown_timeout=shutdown_timeout), self.provider() as provider:
                provider.publish(self.make_key("one"))
                unknown = self.token_of_new_key("unknown", provider.url)
                with OidcServer(self.folder, provider, "--jwks-min-interval", "0", "--jwks-timeout", "60", "--drain-delay", "0",
                                "--shutdown-timeout", shutdown_timeout, "--workers", "1", jwks=provider.url + "/keys") as server:
                    until(server.is_ready, "the keys")
                    waiting = [self.enter(server.connect()) for _ in range(20)]
                    hold = DelayedKeys(provider)
                    for connection in waiting:
                        self.send(connection, unknown)
                    until(lambda: hold.is_requested, "the fetch")
                    self.assertEqual(server.stop(), 0)
                    # The provider has not answered.
                    if shutdown_timeout == "30":
                        answers = [connection.read() for connection in waiting]
                        self.assertEqual([(answer.status, answer["Connection"]) for answer in answers], [(401, "close")] * 20)
                    self.assertTrue(all(connection.is_ended() for connection in waiting))
                    hold.release()

    def test_clients_that_go_while_they_wait_for_a_key_leave_nothing(self):
        with self.provider() as provider:
            provider.publish(self.make_key("one"))
            known, unknown = self.token_of("one", provider.url), self.token_of_new_key("unknown", provider.url)
            with OidcServer(self.folder, provider, "--jwks-min-interval", "0", "--jwks-timeout", "60", "--workers", "2",
                            jwks=provider.url + "/keys") as server:
                until(server.is_ready, "the keys")
                descriptors = lambda: len(os.listdir(f"/proc/{server.process.pid}/fd"))
                before = descriptors()
                hold = DelayedKeys(provider)
                for _ in range(50):
                    with server.connect() as connection:
                        self.send(connection, unknown)
                until(lambda: hold.is_requested, "the fetch")
                until(lambda: descriptors() < before + 10, "the end of the 50 connections")  # the fetch has descriptors, too
                self.assertEqual(server.status_for(known), 200)
                hold.release()

    def test_old_keys_expire(self):
        with self.provider() as provider:
            port, issuer = provider.port, provider.url
            provider.publish(self.make_key("one"))
            token = self.token_of("one", issuer)
            with OidcServer(self.folder, provider, "--jwks-refresh", "1", "--jwks-min-interval", "1", "--jwks-max-age", "2",
                            jwks=provider.url + "/keys") as server:
                until(lambda: server.events("key set loaded"), "the keys")
                provider.documents.clear()
                until(lambda: not server.is_ready(), "the keys to be too old")
                self.assertEqual(server.status_for(token), 503)
                self.assertEqual(len(server.events("key set too old: no key is used until its source answers")), 1)
                provider.publish(self.make_key("one"))
                until(server.is_ready, "the keys again")
                self.assertEqual(server.status_for(token), 200)
                self.assertEqual(port, provider.port)

    def test_check_shows_the_source_of_the_keys(self):
        common = ["check", "--store", "memory:", "--insecure-http", "--audience", AUDIENCE]
        trust = ["--identity-ca", self.path("authority.pem")]
        with self.provider() as provider:
            provider.publish(self.make_key("one"), WEAK)
            provider.publish_discovery()
            done = run(*common, *trust, "--issuer", provider.url)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('refused: keys[1] "weak"', done.stdout)
            self.assertIn(f"keys             warning 1 usable, 1 refused: {provider.url}/.well-known/openid-configuration\n", done.stdout)
            self.assert_one_line(run(*common, *trust, "--issuer", provider.url + "/other"), 1, "404")
            self.assert_one_line(run(*common, "--issuer", provider.url, "--identity-ca", self.path("missing.pem")), 1,
                                 "missing.pem", "--identity-ca")


class RotationTest(IdentityTest):
    def test_a_rotation_under_load_rejects_no_valid_token(self):
        """The new key is published, then used for signing; the old key is removed when its last token has expired."""
        clients = 8
        with self.provider() as provider:
            kids = [f"rotation-{number}" for number in range(4)]
            jwks = [self.make_key(kid) for kid in kids]
            tokens = [self.token_of(kid, provider.url) for kid in kids]
            provider.publish(jwks[0])
            with OidcServer(self.folder, provider, "--jwks-min-interval", "0", jwks=provider.url + "/keys") as server:
                until(server.is_ready, "the keys")
                load = [Client(server) for _ in range(clients)]
                valid = [tokens[0]]
                for client in load:
                    client.tokens = valid
                    client.start()
                answered = lambda: min(client.count for client in load)
                publications = []
                for number in range(1, len(kids)):
                    # Published and used immediately: a server that has not fetched it yet waits for it.
                    publications.append(time.monotonic())
                    provider.publish(jwks[number - 1], jwks[number])
                    valid = [tokens[number - 1], tokens[number]]
                    for client in load:
                        client.tokens = valid
                    before = answered()
                    until(lambda: answered() > before + 50, "answers")
                    # No token of the old key is valid any more: first no client sends one, then its key is removed.
                    for client in load:
                        client.tokens = valid[1:]
                    before = answered()
                    until(lambda: answered() > before + 2, "answers")
                    provider.publish(jwks[number])
                for client in load:
                    client.stop()
                age = lambda at: at - max((published for published in publications if published < at), default=at)
                self.assertEqual([status for client in load for status, at in client.refused if age(at) < SURE_WAIT], [])
                self.assertGreater(sum(client.count for client in load), clients * 100)


class Client(Worker):
    """Sends its valid tokens in turn, on one connection."""

    def __init__(self, server):
        super().__init__()
        self.server, self.tokens, self.count, self.refused, self.over = server, [], 0, [], False

    def stop(self):
        self.over = True
        self.join()

    def work(self):
        with self.server.connect() as connection:
            while not self.over:
                token = self.tokens[self.count % len(self.tokens)]
                status = connection.request("GET", "/api/app/objet-courrier", [("Authorization", f"Bearer {token}")]).status
                if status != 200:
                    self.refused.append((status, time.monotonic()))
                self.count += 1


class DelayedKeys:
    """Delays all requests for the provider's keys until release(); then answers with the published keys."""

    def __init__(self, provider):
        self.provider, self.released, self.is_requested = provider, threading.Event(), False
        self.provider.documents["/keys"] = self.answer

    def answer(self, handler):
        self.is_requested = True
        self.released.wait(PATIENCE)
        document = self.provider.documents["/keys"]
        handler.send(200, document if isinstance(document, bytes) else b"")

    def release(self):
        self.released.set()


if __name__ == "__main__":
    unittest.main()
