"""HTTP on the wire: framing, bodies, streaming, compression."""

import gzip
import socket
import unittest

from support.program import PortailTest, Server

LIST = "/api/app/objet-courrier"
LONG_LIST = "/api/app/objet-courrier/list-all"


class HttpTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        document = cls.document(mail_objects=40, bundles=2000)
        cls.server = cls.enterClassContext(Server(cls.folder, "--store", "memory:", "--import", document))
        cls.auth = cls.bearer("sub-client", "--permission", "PortailClients.ObjetsCourrier.Update")

    def framing_error(self, raw, status):
        """The answer to the raw bytes is a complete error with `status`, and the connection ends."""
        with self.server.connect() as connection:
            connection.send(raw)
            answer = connection.read()
            self.assertEqual(answer.status, status, raw)
            self.assertEqual(answer["Connection"], "close")
            self.assertEqual(answer["Content-Type"], "application/json; charset=utf-8")
            self.assertEqual(answer["X-Content-Type-Options"], "nosniff")
            self.assertEqual(answer["_AbpErrorFormat"], "true")
            self.assertRegex(answer["X-Correlation-Id"], r"^[A-Za-z0-9._-]{1,128}$")
            self.assertEqual(list(answer.json()["error"]), ["code", "message", "details", "data", "validationErrors"])
            self.assertTrue(connection.is_ended())

    def test_framing_errors_are_answered_and_end_the_connection(self):
        host = "Host: h\r\n"
        second = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n"
        for raw, status in [
            ("GET /health/live\r\n\r\n", 400),
            ("GET  /health/live HTTP/1.1\r\n" + host + "\r\n", 400),
            ("GET /health/live HTTP/1.1\nHost: h\n\n", 400),
            ("GET /health/live HTTP/1.1\r\n\r\n", 400),
            ("GET /health/live HTTP/1.1\r\n" + host + host + "\r\n", 400),
            ("GET /health/live HTTP/1.1\r\n" + host + "Spaced : x\r\n\r\n", 400),
            ("GET /health/live HTTP/1.1\r\n" + host + "Folded: x\r\n y\r\n\r\n", 400),
            ("GET /health/live HTTP/1.1\r\n" + host + "Nul: \0\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx" + second, 400),
            ("PUT / HTTP/1.1\r\n" + host + "Content-Length: +1\r\n\r\nx" + second, 400),
            ("PUT / HTTP/1.1\r\n" + host + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
            ("GET /health/live HTTP/2.0\r\n" + host + "\r\n", 505),
            ("GET /" + "a" * 9000 + " HTTP/1.1\r\n" + host + "\r\n", 400),
            ("GET / HTTP/1.1\r\n" + host + "Long: " + "a" * 40000 + "\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\n" + host + "A: b\r\n" * 101 + "\r\n", 431),
        ]:
            with self.subTest(raw=raw[:80]):
                self.framing_error(raw, status)

    def test_a_malformed_chunk_of_a_body_that_is_read_is_a_framing_error(self):
        for chunks in ["x\r\n", "1\r\nab\r\n0\r\n\r\n", "1 1\r\na\r\n0\r\n\r\n", "-1\r\n\r\n", "1\na\r\n0\r\n\r\n",
                       "fffffffff\r\na"]:
            with self.subTest(chunks=chunks):
                self.framing_error(f"PUT {LIST}/1 HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n"
                                   f"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}", 400)

    def test_every_method_reaches_the_core(self):
        for method in ["POST", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "brew"]:
            with self.subTest(method=method):
                answer = self.server.ask(method, LIST)
                self.assertEqual(answer.status, 401)
                self.assertEqual(answer["WWW-Authenticate"], "Bearer")
        answer = self.server.ask("PROPFIND", LIST, [self.auth])
        self.assertEqual(answer.status, 405)

    def test_two_authorization_headers_reach_the_core_as_two(self):
        self.assertEqual(self.server.ask("GET", LIST, [self.auth]).status, 200)
        self.assertEqual(self.server.ask("GET", LIST, [self.auth, self.auth]).status, 401)

    def test_the_target_and_header_values_arrive_undecoded(self):
        self.assertEqual(self.server.ask("GET", "/api/app/liasse/a%2Fb", [self.auth]).status, 400)
        encoded = (self.auth[0], self.auth[1].replace("Bearer ", "Bearer%20"))
        self.assertEqual(self.server.ask("GET", LIST, [encoded]).status, 401)

    def test_a_connection_serves_many_requests_also_sent_ahead(self):
        with self.server.connect() as connection:
            for _ in range(300):
                self.assertEqual(connection.request("GET", "/health/live").status, 200)
            connection.send("GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n" * 3 + "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n")
            self.assertEqual([connection.read().status for _ in range(4)], [200, 200, 200, 404])

    def test_errors_keep_the_connection(self):
        with self.server.connect() as connection:
            for target, status in [("/nothing", 404), (LIST, 401), ("/health/live", 200)]:
                answer = connection.request("GET", target)
                self.assertEqual((answer.status, answer["Connection"]), (status, None))

    def test_close_is_honoured_and_http_1_0_ends(self):
        with self.server.connect() as connection:
            answer = connection.request("GET", "/health/live", [("Connection", "close")])
            self.assertEqual(answer["Connection"], "close")
            self.assertTrue(connection.is_ended())
        with self.server.connect() as connection:
            connection.send(f"GET /api/app/liasse HTTP/1.0\r\n{self.auth[0]}: {self.auth[1]}\r\n\r\n")
            answer = connection.read()
            self.assertEqual((answer.status, answer["Transfer-Encoding"]), (200, None))
            self.assertEqual(len(answer.json()), 2000)

    def test_head_is_get_without_the_body(self):
        for headers in ([self.auth], [self.auth, ("Accept-Encoding", "gzip")]):
            with self.server.connect() as connection:
                got = connection.request("GET", LONG_LIST, headers)
                head = connection.request("HEAD", LONG_LIST, headers)
                self.assertEqual(head.status, 200)
                for name in ("Content-Length", "ETag", "Content-Type", "Content-Encoding", "Cache-Control"):
                    self.assertEqual(head[name], got[name], name)
                self.assertEqual(connection.request("GET", "/health/live").status, 200)

    def test_an_unread_body_is_never_parsed_as_a_request(self):
        hidden = b"GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n"
        with self.server.connect() as connection:  # short: discarded, and the connection stays open
            answer = connection.request("PUT", LIST + "/1", body=hidden)
            self.assertEqual((answer.status, answer["Connection"]), (401, None))
            self.assertEqual(connection.request("GET", "/nothing").status, 404)
        with self.server.connect() as connection:  # in chunks: closed
            connection.send(b"PUT " + LIST.encode() + b"/1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + b"%x\r\n" % len(hidden) + hidden + b"\r\n0\r\n\r\n" + hidden)
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (401, "close"))
            self.assertTrue(connection.is_ended())
        with self.server.connect() as connection:  # long: closed after the client has read the answer
            connection.send(b"PUT " + LIST.encode() + b"/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n")
            connection.send(b"x" * 200_000)
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (401, "close"))

    def put(self, connection, body, *headers):
        return connection.request("PUT", LIST + "/1", [self.auth, ("Content-Type", "application/json"), *headers], body)

    def test_bodies_up_to_64_kib_are_read_and_longer_ones_are_413(self):
        body = b'{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"'
        with self.server.connect() as connection:
            fitting = body + b" " * (64 * 1024 - len(body) - 1) + b"}"
            self.assertEqual(self.put(connection, fitting).json()["typeAffectation"], "Optionnel")
            answer = self.put(connection, fitting[:-1] + b" }")
            self.assertEqual(answer.status, 413)

    def test_a_body_in_chunks(self):
        with self.server.connect() as connection:
            connection.send(f"PUT {LIST}/1 HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n"
                            "Content-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n"
                            '1E;ext="x"\r\n{"utilisablePourLiasse":false,\r\n'
                            '1d\r\n"typeAffectation":"Optionnel"\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n')
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (200, None))
            self.assertEqual(answer.json()["utilisablePourLiasse"], False)
            self.assertEqual(connection.request("GET", "/health/live").status, 200)

    def test_a_hundred_is_sent_when_the_body_is_wanted_and_not_before(self):
        body = b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}'
        head = (f"PUT {LIST}/1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                f"Content-Length: {len(body)}\r\n")
        with self.server.connect() as connection:
            connection.send(head + f"{self.auth[0]}: {self.auth[1]}\r\n\r\n")
            self.assertEqual(connection.read().status, 100)
            connection.send(body)
            self.assertEqual(connection.read().status, 200)
        with self.server.connect() as connection:
            connection.send(head + "\r\n")
            answer = connection.read()
            self.assertEqual((answer.status, answer["Connection"]), (401, "close"))

    def test_a_long_list_is_streamed_completely(self):
        answer = self.server.ask("GET", "/api/app/liasse", [self.auth])
        self.assertEqual(answer["Transfer-Encoding"], "chunked")
        self.assertIsNone(answer["Content-Length"])
        self.assertEqual(len(answer.json()), 2000)

    def test_compression_and_its_entity_tags(self):
        for target in (LONG_LIST, "/api/app/liasse"):
            plain = self.server.ask("GET", target, [self.auth])
            self.assertIsNone(plain["Content-Encoding"])
            tag = plain["ETag"]
            self.assertRegex(tag, r'^"[^"]+"$')
            coded = self.server.ask("GET", target, [self.auth, ("Accept-Encoding", "gzip")])
            self.assertEqual(coded["Content-Encoding"], "gzip")
            self.assertEqual(coded["ETag"], tag[:-1] + '-gzip"')
            self.assertEqual(gzip.decompress(coded.body), plain.body)
            self.assertLess(len(coded.body), len(plain.body))
            zstd = self.server.ask("GET", target, [self.auth, ("Accept-Encoding", "gzip, zstd;q=1.0")])
            self.assertEqual((zstd["Content-Encoding"], zstd["ETag"]), ("zstd", tag[:-1] + '-zstd"'))
            self.assertEqual(zstd.body[:4], b"\x28\xb5\x2f\xfd")
            for condition in (coded["ETag"], tag, "W/" + tag):
                again = self.server.ask("GET", target, [self.auth, ("Accept-Encoding", "gzip"), ("If-None-Match", condition)])
                self.assertEqual((again.status, again.body), (304, b""))
                self.assertEqual(again["ETag"], condition.removeprefix("W/"))
                self.assertIsNone(again["Content-Encoding"])
                self.assertIsNone(again["Content-Length"])

    def test_what_is_not_compressed(self):
        for wanted in ("identity", "br", "gzip;q=0", "gzip;q=0.1, identity", "", "*;q=0"):
            with self.subTest(wanted=wanted):
                answer = self.server.ask("GET", LONG_LIST, [self.auth, ("Accept-Encoding", wanted)])
                self.assertIsNone(answer["Content-Encoding"])
        small = self.server.ask("GET", LIST + "/1", [self.auth, ("Accept-Encoding", "gzip")])
        self.assertIsNone(small["Content-Encoding"])
        self.assertNotIn("gzip", small["ETag"])

    def test_ranges_and_odd_accept_headers_change_nothing(self):
        headers = [self.auth, ("Range", "bytes=0-1"), ("Accept", ";;q=nonsense"), ("Upgrade", "websocket")]
        self.assertEqual(self.server.ask("GET", LIST, headers).status, 200)

    def test_a_date_and_no_word_of_the_software(self):
        answer = self.server.ask("GET", "/health/live")
        self.assertRegex(answer["Date"], r"^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$")
        self.assertIsNone(answer["Server"])

    def test_clients_that_go_away_do_not_affect_others(self):
        for data in (b"", b"GET ", f"PUT {LIST}/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nx".encode(),
                     f"GET /api/app/liasse HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n\r\n".encode()):
            connection = self.server.connect()
            connection.send(data)
            connection.close()
        with socket.create_connection(("127.0.0.1", self.server.port)) as no_tls:
            no_tls.sendall(b"GET / HTTP/1.1\r\n\r\n")
        self.assertEqual(self.server.ask("GET", "/health/live").status, 200)


if __name__ == "__main__":
    unittest.main()
