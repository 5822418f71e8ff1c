"""The log: JSON lines on standard error, one for each request, without secrets."""

import contextlib
import hashlib
import hmac
import json
import os
import pathlib
import re
import unittest

from support.program import PROGRAM, PortailTest, Revision, Server, Serving, clean_environment, must_run, until

import access_lines
from portal import Portal

FIXTURE = pathlib.Path(__file__).resolve().parents[3] / "fixtures/portail.json"
LOST = "log lines were lost: they were not read in time"
SECRET_QUERY = "SkipCount=0&jeton=tres-secret"


class LogTest(PortailTest):
    """Where the order of lines matters, one worker writes them."""

    def requests(self, server):
        """Ends the server and returns the log lines of requests."""
        self.assertEqual(server.stop(), 0)
        return [line for line in server.log_lines() if "route" in line]

    def test_one_line_for_each_request(self):
        auth = self.bearer("sub-client")
        with Server(self.folder, "--workers", "1", "--store", "memory:", "--import", self.document(), "--log-key", "clef") as server:
            server.ask("GET", f"/api/app/objet-courrier?{SECRET_QUERY}", [auth, ("X-Correlation-Id", "abc-1")])
            server.ask("GET", "/api/app/liasse/L-00000", [auth])
            server.ask("GET", "/api/app/objet-courrier", [("Authorization", "Bearer tres-secret")])
            server.ask("GET", "/tres-secret")
            with server.connect() as connection:
                connection.send("GET /tres-secret HTTP/1.1\r\n\r\n")
                malformed = connection.read()
            lines = self.requests(server)
            self.assertEqual(len(lines), 5)
            for line in lines:
                reason = ["reason"] if line["status"] == 401 else []
                self.assertEqual(list(line), ["time", "level", "correlationId", "method", "route", "status", *reason, "microseconds",
                                              "subject"])
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
                self.assertGreaterEqual(line["microseconds"], 0)
                self.assertRegex(line["correlationId"], r"^[A-Za-z0-9._-]{1,128}$")
            self.assertEqual([(line["method"], line["route"], line["status"], line["level"]) for line in lines],
                             [("GET", "/api/app/objet-courrier", 200, "info"), ("GET", "/api/app/liasse/{id}", 200, "info"),
                              ("GET", "/api/app/objet-courrier", 401, "info"), ("GET", "-", 404, "info"),
                              ("-", "-", 400, "info")])
            self.assertEqual(lines[0]["correlationId"], "abc-1")
            self.assertEqual(lines[4]["correlationId"], malformed["X-Correlation-Id"])
            # HMAC-SHA-256 of "sub-client" under "clef", the first 16 bytes.
            pseudonym = hmac.new(b"clef", b"sub-client", hashlib.sha256).hexdigest()[:32]
            self.assertEqual([line["subject"] for line in lines], [pseudonym, pseudonym, None, None, None])
            for secret in ("tres-secret", auth[1].split()[1].split(".")[1], "sub-client", "clef", "L-00000"):
                self.assertNotIn(secret, server.log())

    def test_the_trace_that_a_request_belongs_to(self):
        stranger = self.bearer("sub-stranger")  # whose refusal leaves an access line
        trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
        given = ("traceparent", f"00-{trace}-{parent}-01")
        with Server(self.folder, "--workers", "1", "--store", "memory:", "--import", self.document()) as server:
            for headers in ([given], [("TRACEPARENT", given[1]), ("tracestate", "vendor=secret-state")], [], [given, given],
                            [("traceparent", f"00-{trace.upper()}-{parent}-01")]):
                answer = server.ask("GET", "/health/live", headers)
                self.assertEqual(answer.status, 200)
                self.assertNotIn(trace.encode(), answer.raw_head.lower())
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [stranger, given]).status, 403)
            lines = self.requests(server)
            traced = [line for line in lines if "traceId" in line]
            self.assertEqual([(line["route"], line.get("event")) for line in traced],
                             [("/health/live", None)] * 2 + [("/api/app/liasse/{id}", "access"), ("/api/app/liasse/{id}", None)])
            for line in traced:
                self.assertEqual((line["traceId"], line["parentSpanId"]), (trace, parent))
                self.assertRegex(line["spanId"], "^[0-9a-f]{16}$")
            # A request has one span, whatever the number of its lines.
            self.assertEqual([len({line["spanId"] for line in traced[:3]}), traced[2]["spanId"]], [3, traced[3]["spanId"]])
            self.assertEqual(list(traced[0])[:6], ["time", "level", "correlationId", "traceId", "spanId", "parentSpanId"])
            self.assertEqual(len(lines), 7)
            self.assertNotIn("secret-state", server.log())

    def test_without_a_key_one_is_made_for_this_run(self):
        auth = self.bearer("sub-client")
        pseudonyms = set()
        for _ in range(2):
            with Server(self.folder, "--store", "memory:") as server:
                server.ask("GET", "/api/app/objet-courrier", [auth])
                server.ask("GET", "/api/app/objet-courrier", [auth])
                lines = self.requests(server)
                self.assertEqual(lines[0]["subject"], lines[1]["subject"])
                self.assertTrue(re.fullmatch("[0-9a-f]{32}", lines[0]["subject"]))
                pseudonyms.add(lines[0]["subject"])
                said = [line for line in server.log_lines() if "PORTAIL_LOG_KEY" in line.get("event", "")]
                self.assertEqual(len(said), 1)
        self.assertEqual(len(pseudonyms), 2)

    # A refused token has an access line if requests have no lines.
    def test_access_lines(self):
        folder = pathlib.Path(self.folder, "access")
        folder.mkdir()
        portal = Portal(PROGRAM, folder)
        portal.make_keys("--alg", "EdDSA", "--kid", "one")
        flags = ["--listen", "127.0.0.1:0", "--insecure-http", "--store", "memory:", "--import", FIXTURE, "--log-level", "error",
                 "--no-access-log"]
        environment = clean_environment() | portal.settings | access_lines.SETTINGS
        with Serving([PROGRAM, "serve", *flags], folder / "log", environment) as server:
            access_lines.check(self, server, portal)

    def test_a_refusal_has_its_reason(self):
        with Server(self.folder, "--workers", "1", "--store", "memory:", "--import", self.document()) as server:
            for headers, status in (([], 401), ([("Authorization", "Bearer x")], 401), ([self.bearer("sub-stranger")], 403)):
                self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", headers).status, status)
            self.assertEqual([(line["status"], line.get("access"), line["reason"]) for line in self.requests(server)], [
                (401, None, "No bearer token was sent"), (401, None, "The token is not a compact JWS of three parts"),
                (403, "refused", "The caller is neither a user nor a manager of the client"),
                (403, None, "The caller is neither a user nor a manager of the client")])

    def test_each_refusal_has_its_reason_from_the_first_request(self):
        """Rows: the cause; flags; the stored format, or the number of requests, before those that are judged; the statuses of /health/ready
        and of a request, the reasons of both, and the warnings."""
        data = self.path("refusals")
        must_run("import", "--store", f"dir:{data}", self.document())
        layout = pathlib.Path(data, "format")
        later = "the store was written by a newer version of portail: use that version, or import into a new store"
        nowhere = "https://127.0.0.1:1/keys"
        unreachable = f"cannot fetch {nowhere}: Could not establish connection to 127.0.0.1 port 1"
        auth = [self.bearer("sub-client")]
        for cause, jwks, flags, before, headers, expected in [
                ("no key set", nowhere, [], 0, auth,
                 [503, 503, "No key set can be used", "No key set can be used", ("key set not refreshed", unreachable)]),
                ("no usable key", '{"keys":[]}', [], 0, auth,
                 [503, 503, "No key set can be used", "No key set can be used", ("no usable key: the service is not ready", "text")]),
                ("a store of a later version", None, [], "2", auth,
                 [503, 503, "The store is unavailable", "The store is unavailable", ("store refused", later)]),
                ("an emptied store", None, [], "", auth,
                 [503, 503, "The store is unavailable", "The store is unavailable",
                  ("store refused", "the store is empty: import a document first")]),
                ("no token", None, [], 0, [], [200, 401, None, "No bearer token was sent"]),
                ("a proxy that is not trusted", None, ["--insecure-http", "--transport", "forwarded", "--trusted-proxy", "192.0.2.1"], 0, auth,
                 [200, 403, None, "No trusted proxy reported HTTPS; the setting transport is forwarded"]),
                ("too many requests", None, ["--requests-per-address", "1"], 10, auth,
                 [200, 429, None, "The address exceeds its rate limit",
                  ("requests are refused: their address or subject exceeds its rate limit", None)])]:
            with self.subTest(cause):
                layout.write_text("1")
                with Server(self.folder, "--workers", "1", "--store", f"dir:{data}", *flags, jwks=jwks,
                            tls="--insecure-http" not in flags) as server:
                    if isinstance(before, str):
                        with Revision(data).change():
                            layout.write_text(before) if before else layout.unlink()
                    else:
                        for _ in range(before):
                            server.ask("GET", "/api/app/objet-courrier", headers)
                    statuses = [server.ask("GET", "/health/ready").status]
                    statuses.append(server.ask("GET", "/api/app/objet-courrier", headers).status)
                    warnings = expected[4:]
                    for event, _ in warnings:
                        until(lambda: server.events(event), event)  # noqa: B023
                    lines = [line for line in self.requests(server) if "event" not in line]
                    self.assertEqual(statuses + [line.get("reason") for line in lines[-2:]], expected[:4])
                    for event, detail in warnings:
                        self.assertEqual([line["detail"] for line in server.events(event) if detail], [detail] if detail else [])

    def test_connections_beyond_the_maximum_are_logged(self):
        event = "connections are refused: --max-connections or --max-connections-per-address is reached"
        with Server(self.folder, "--store", "memory:", "--max-connections-per-address", "1") as server:
            with server.connect() as first:
                self.assertEqual(first.request("GET", "/health/live").status, 200)
                for _ in range(2):
                    with contextlib.suppress(OSError):  # it is closed
                        server.connect().__exit__()
                until(lambda: server.events(event), event)
            self.assertRegex(server.events(event)[0]["detail"], r"^[12] since the last report$")

    def test_what_is_logged_can_be_chosen(self):
        for flags in (["--no-access-log"], ["--log-level", "warning"]):
            with Server(self.folder, "--store", "memory:", *flags) as server:
                server.ask("GET", "/health/live")
                self.assertEqual(self.requests(server), [])

    def test_a_fault_is_an_error(self):
        with Server(self.folder, "--store", "memory:", jwks=self.write("no-keys.json", '{"keys":[]}')) as server:
            self.assertEqual(server.ask("GET", "/health/ready").status, 503)
            self.assertEqual(self.requests(server)[0]["level"], "error")

    def test_an_agreed_500_is_none(self):
        auth = self.bearer()
        with Server(self.folder, "--workers", "1", "--store", "memory:") as server:
            for method, target in (("POST", "/api/app/objet-courrier"), ("DELETE", "/api/app/objet-courrier/1")):
                self.assertEqual(server.ask(method, target, [auth]).status, 500)
            self.assertEqual([(line["method"], line["status"], line["level"]) for line in self.requests(server)],
                             [("POST", 500, "info"), ("DELETE", 500, "info")])

    def test_a_log_without_a_reader_stops_no_request(self):
        reading, writing = os.pipe()
        auth = self.bearer("sub-client")
        with Server(self.folder, "--store", "memory:", "--import", self.document(), log=writing) as server:
            os.close(writing)
            answered = 0
            with server.connect() as connection:
                for _ in range(5000):
                    answer = connection.request("GET", "/api/app/objet-courrier/1", [auth])
                    answered += answer.status == 200
            self.assertEqual(answered, 5000)
            with open(reading, encoding="utf-8") as log:
                said, lost = 0, 0
                while said + lost < 5000:
                    line = json.loads(log.readline())
                    said += "route" in line
                    lost += int(line["detail"]) if line.get("event") == LOST else 0
                self.assertGreater(lost, 0)
                self.assertEqual(said + lost, 5000)
                # No further line is lost.
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                self.assertEqual(json.loads(log.readline())["route"], "/health/live")
                self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
