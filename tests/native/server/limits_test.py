"""Rate limits by address and subject: off by default; if set, 429 with the fields of the IETF's draft."""

import time

from support.metrics import metrics_of, total
from support.program import Connection, PortailTest, Server, until

ONE = "/api/app/objet-courrier/1"
ORIGIN = ("Origin", "https://portal.example")
BURST = 10  # of one request a second
MANY = 300  # requests; every machine answers them in fewer seconds


class LimitsTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth, cls.other = cls.bearer(), cls.bearer("sub-other")

    def start(self, *flags):
        return Server(self.folder, "--store", "memory:", "--import", self.document(), "--insecure-http", "--transport", "loopback",
                      "--allow-origin", ORIGIN[1], "--metrics-listen", "127.0.0.1:0", *flags, tls=False)

    @staticmethod
    def ask(server, *headers, address="127.0.0.1", target=ONE, method="GET", body=b""):
        with Connection(server.port, tls=False, address=address) as connection:
            return connection.request(method, target, headers, body)

    @staticmethod
    def ask_ahead(server, *headers, count=MANY):
        """Sends `count` requests, pipelined on one connection, and returns the answers."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        with server.connect() as connection:
            connection.send(f"GET {ONE} HTTP/1.1\r\nHost: h\r\n{lines}\r\n".encode() * count)
            return [connection.read() for _ in range(count)]

    def assert_limited(self, answer, policy):
        self.assertEqual(answer.status, 429)
        self.assertEqual(answer["Retry-After"], "1")
        self.assertEqual(answer["RateLimit-Policy"], f'"{policy}";q=10;w=10')
        self.assertEqual(answer["RateLimit"], f'"{policy}";r=0;t=1')
        self.assertEqual(answer["Cache-Control"], "no-store")
        self.assertEqual(answer["Content-Type"], "application/json; charset=utf-8")
        self.assertEqual(answer["_AbpErrorFormat"], "true")
        self.assertRegex(answer["X-Correlation-Id"], "^[0-9a-f]{32}$")
        self.assertIsNone(answer["Connection"])

    def assert_comes_back(self, server, limited, *headers, **options):
        """A limited client is served again after Retry-After, and once only."""
        time.sleep(int(limited["Retry-After"]))
        self.assertEqual(self.ask(server, *headers, **options).status, 200)

    def test_an_address(self):
        with self.start("--requests-per-address", "1") as server:
            answers = self.ask_ahead(server, self.auth)
            self.assertEqual([answer.status for answer in answers[:BURST]], [200] * BURST)
            limited = [answer for answer in answers if answer.status == 429]
            self.assertEqual({answer.status for answer in answers}, {200, 429})
            self.assert_limited(limited[0], "address")
            self.assertEqual(limited[0].json(), {"error": {"code": None, "message": "You are sending too many requests; try again later!",
                                                           "details": None, "data": {}, "validationErrors": None}})
            # All callers and routes, except for other addresses, probes and preflights.
            refused = until(lambda: (a := self.ask(server, self.other, ORIGIN, ("Accept-Language", "fr"))).status == 429 and a, "429")
            self.assert_limited(refused, "address")
            self.assertEqual(refused.json()["error"]["message"], "Vous envoyez trop de requêtes, réessayez plus tard !")
            self.assertEqual(refused["Access-Control-Allow-Origin"], ORIGIN[1])
            self.assertIn("RateLimit-Policy, RateLimit", refused["Access-Control-Expose-Headers"])
            for _ in range(2 * BURST):
                self.assertEqual(self.ask(server, target="/health/ready").status, 200)
                self.assertEqual(self.ask(server, ORIGIN, ("Access-Control-Request-Method", "GET"), method="OPTIONS").status, 204)
            self.assertEqual(self.ask(server, self.auth, address="127.0.0.2").status, 200)
            self.assert_comes_back(server, refused, self.auth)
            # One warning for all of them; each one is counted.
            metrics = until(lambda: total(m := metrics_of(server), "portail_requests_total", status="4xx") ==
                            m['portail_limited_total{by="address"}'] and m, "the last to be counted")
            self.assertGreaterEqual(metrics['portail_limited_total{by="address"}'], len(limited) + 1)
            self.assertEqual(metrics['portail_limited_total{by="subject"}'], 0)
            event = "requests are refused: their address or subject exceeds its rate limit"
            lines = until(lambda: server.events(event), "the line")
            self.assertEqual(len(lines), 1)
            self.assertRegex(lines[0]["detail"], "^[0-9]+ for the address, 0 for the subject, since the last report$")
            # And at most ten in a second with their own line.
            lines = until(lambda: [line for line in server.log_lines() if line.get("status") == 429], "their lines")
            self.assertEqual({line["reason"] for line in lines}, {"The address exceeds its rate limit"})
            self.assertIn(lines[0]["correlationId"], [answer["X-Correlation-Id"] for answer in limited])

    def test_a_subject(self):
        with self.start("--requests-per-subject", "1") as server:
            # Bad tokens have no subject.
            self.assertEqual({answer.status for answer in self.ask_ahead(server, ("Authorization", "Bearer a.b.c"), count=3 * BURST)},
                             {401})
            answers = self.ask_ahead(server, self.auth)
            self.assertEqual([answer.status for answer in answers[:BURST]], [200] * BURST)
            self.assertEqual({answer.status for answer in answers}, {200, 429})
            # With another token, and from another address.
            again = self.bearer("sub-client", "--permission", "PortailClients.ObjetsCourrier.Update")
            refused = until(lambda: (a := self.ask(server, again, address="127.0.0.2")).status == 429 and a, "429")
            self.assert_limited(refused, "subject")
            self.assertEqual(self.ask(server, self.other).status, 200)
            self.assert_comes_back(server, refused, again, address="127.0.0.2")
            metrics = metrics_of(server)
            self.assertEqual(metrics['portail_limited_total{by="address"}'], 0)
            self.assertGreater(metrics['portail_limited_total{by="subject"}'], 1)

    def test_what_is_refused_changes_nothing_and_leaves_no_access_line(self):
        with self.start("--requests-per-subject", "1") as server:
            reader = self.bearer("sub-admin")  # may not write: each PUT is a 403, and leaves a line
            body, statuses = b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}', []
            with server.connect() as connection:
                while 429 not in statuses:
                    self.assertLess(len(statuses), MANY)
                    statuses.append(connection.request("PUT", ONE, [reader, ("Content-Type", "application/json")], body).status)
                # The body of the last one was not parsed as a request.
                self.assertEqual(connection.request("GET", ONE, [self.other]).status, 200)
            self.assertEqual(set(statuses), {403, 429})
            self.assertEqual(len(server.events("access")), statuses.count(403))

    def test_behind_a_proxy_subjects_only(self):
        flags = ["--transport", "forwarded", "--trusted-proxy", "127.0.0.1", "--requests-per-address", "1", "--requests-per-subject", "20"]
        https = ("X-Forwarded-Proto", "https")
        with Server(self.folder, "--store", "memory:", "--import", self.document(), *flags, tls=False) as server:
            self.assertEqual([answer.status for answer in self.ask_ahead(server, https, count=MANY)], [401] * MANY)
            self.assertEqual([answer.status for answer in self.ask_ahead(server, https, self.auth, count=200)], [200] * 200)
            limited = until(lambda: [a for a in self.ask_ahead(server, https, self.auth) if a.status == 429], "429")
            self.assertEqual(limited[0]["RateLimit-Policy"], '"subject";q=200;w=10')
            self.assertEqual(self.ask(server, https, self.other).status, 200)
