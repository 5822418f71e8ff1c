"""HTTP on the wire: connections, unread bodies, streaming, compression. tests/contract and front_door_test.py have framing and methods."""

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
        for length, status in ((64 * 1024, 100), (64 * 1024 + 1, 413), (10**17, 413), (10**19, 413)):
            with self.subTest(length), self.server.connect() as connection:
                connection.send(head.replace(f"Content-Length: {len(body)}", f"Content-Length: {length}")
                                + f"{self.auth[0]}: {self.auth[1]}\r\n\r\n")
                answer = connection.read()
                self.assertEqual((answer.status, answer["Connection"]), (status, None if status == 100 else "close"))

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
