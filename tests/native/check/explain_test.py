"""portail explain: from a line of the log, or a correlation id, to the cause and the remedy."""

import json
import unittest

from support.program import PortailTest, Server, run, until

EXPIRED = ('{"time":"2026-11-21T07:23:36.784478Z","level":"info","correlationId":"c-1","method":"GET","route":"/api/app/liasse",'
           '"status":401,"reason":"The token has expired","microseconds":70,"subject":null}')


class ExplainTest(PortailTest):
    def explain(self, *arguments, stdin=""):
        done = run("explain", *arguments, stdin=stdin)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a_line(self):
        expected = [
            "time             2026-11-21T07:23:36.784478Z",
            "request          GET /api/app/liasse",
            "answer           401",
            "reason           The token has expired",
            "cause            The client kept it longer than its lifetime, or a clock is wrong.",
            "remedy           Request a new token. Compare the clocks of the provider and of this server: `timedatectl`, or `portail check URL`.",
        ]
        for line in (EXPIRED, f"Nov 21 07:23:36 host portail[7]: {EXPIRED}\n"):
            self.assertEqual(self.explain(line).splitlines(), expected)

    def test_as_json(self):
        self.assertEqual(json.loads(self.explain("--json", EXPIRED)), {
            "time": "2026-11-21T07:23:36.784478Z", "correlationId": "c-1", "method": "GET", "route": "/api/app/liasse", "entity": None,
            "status": 401, "reason": "The token has expired", "cause": "The client kept it longer than its lifetime, or a clock is wrong.",
            "remedy": "Request a new token. Compare the clocks of the provider and of this server: `timedatectl`, or `portail check URL`.",
            "warning": None})

    def test_without_a_reason(self):
        for status, cause in ((200, "The request was not refused."),
                              (404, "No endpoint has this path and method, or no entity has this id."),
                              (500, "A value of the store is damaged or too large.")):
            line = json.dumps({"correlationId": "c", "method": "GET", "route": "-", "status": status})
            self.assertEqual(json.loads(self.explain("--json", line))["cause"], cause)

    def test_a_correlation_id_in_the_log_of_a_server(self):
        with Server(self.folder, "--store", "memory:", "--import", self.document()) as server:
            stranger = [self.bearer("sub-stranger"), ("X-Correlation-Id", "of-a-bundle")]
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", stranger).status, 403)
            unknown = server.ask("GET", "/api/app/liasse/dashboard-list", [self.bearer()])
            self.assertEqual(unknown.json()["error"]["data"], {"PolicyName": "PortailClients.Dashboard.Host"})
            until(lambda: len([line for line in server.log_lines() if line.get("status") == 403]) == 4, "the lines")
            log = server.log()
        # Its access line and its request line are one request.
        said = self.explain("of-a-bundle", stdin=log)
        self.assertEqual(said.count("request  "), 1, said)
        self.assertIn("GET /api/app/liasse/{id}, L-00001\n", said)
        self.assertIn("reason           The caller is neither a user nor a manager of the client\n", said)
        said = self.explain(unknown["X-Correlation-Id"], "--log", self.write("log", log))
        self.assertIn("reason           The permission PortailClients.Dashboard.Host is missing\n", said)
        self.assertIn("remedy           Grant it in `droits` of the import document", said)

    def test_several_requests_with_one_id(self):
        said = self.explain("c-1", stdin=f"portail: listening\n{EXPIRED}\n{EXPIRED.replace('401', '403')}\n")
        self.assertEqual([line for line in said.splitlines() if line.startswith("answer")], ["answer           401", "answer           403"])

    def test_every_refused_request_of_a_log(self):
        log = f"portail: listening\n{EXPIRED.replace('401', '200')}\nhost portail[7]: {EXPIRED}\n{EXPIRED.replace('c-1', 'c-2')}\n"
        for arguments in ([], ["-"], ["--log", self.write("log", log)]):
            with self.subTest(arguments):
                said = self.explain("--json", *arguments, stdin=log)
                self.assertEqual([json.loads(line)["correlationId"] for line in said.splitlines()], ["c-1", "c-2"])
        self.assert_one_line(run("explain", stdin=EXPIRED.replace("401", "200")), 1, "no line of the log is of a refused request")

    def test_the_last_warning_about_what_was_unavailable(self):
        def warning(event, detail, level="warning"):
            return json.dumps({"time": "2026-11-21T07:23:35Z", "level": level, "event": event, "detail": detail}, separators=(",", ":"))
        events = [warning("store: a read failed", "old"), warning("store: a read failed", "Connection refused"),
                  warning("key set not refreshed", "404"), warning("store: opened", "", level="info")]
        for reason, last in (("The store is unavailable", "2026-11-21T07:23:35Z store: a read failed: Connection refused"),
                             ("No key set can be used", "2026-11-21T07:23:35Z key set not refreshed: 404"),
                             ("The server is overloaded", None)):
            with self.subTest(reason):
                line = EXPIRED.replace("401", "503").replace("The token has expired", reason)
                log = "\n".join([*events, line, warning("store: a write failed", "after it"), warning("key refused", "after it")])
                self.assertEqual(json.loads(self.explain("--json", stdin=log))["warning"], last)
                rows = [row for row in self.explain("c-1", stdin=log).splitlines() if row.startswith("warning")]
                self.assertEqual(rows, [f"warning          {last}"] if last else [])

    def test_the_list_has_every_reason_once(self):
        rows = json.loads(self.explain("--list", "--json"))
        self.assertEqual([sorted(row) for row in rows], [["cause", "reason", "remedy", "status"]] * len(rows))
        self.assertEqual(len({row["reason"] for row in rows}), len(rows))
        self.assertEqual({row["status"] for row in rows}, {401, 403, 429, 503})
        self.assertEqual(self.explain("--list").splitlines()[:3], [
            "401              No bearer token was sent",
            "                 The client sent no header `Authorization: Bearer TOKEN`, or a proxy removed it.",
            "                 Send the access token in one header, `Authorization: Bearer TOKEN`; let proxies pass it on."])

    def test_faults(self):
        self.assert_one_line(run("explain"), 1, "no line of the log is of a refused request")
        self.assert_one_line(run("explain", '{"a":1}'), 2, "is not a request's or access line of the log")
        self.assert_one_line(run("explain", "c-1", "--log", "/nowhere"), 1, "cannot read --log /nowhere: No such file or directory")
        self.assert_one_line(run("explain", "c-1", "--log", self.folder), 1, f"cannot read --log {self.folder}: Is a directory")
        self.assert_one_line(run("explain", "c-1", stdin=EXPIRED.replace("c-1", "c-10")), 1, "no line of the log has the correlation id c-1")

    def test_control_characters_are_escaped(self):
        line = json.dumps({"method": "GET", "route": "/\x1b[31m", "status": 401, "reason": "\x1b[0m"})
        self.assertNotIn("\x1b", self.explain(line) + self.explain("--json", line))


if __name__ == "__main__":
    unittest.main()
