"""portail audit: the records of PUTs, imports and changed grants."""

import json
import os
import pwd
import unittest

from support.program import PortailTest, Server, must_run, run

UPDATE = ("--permission", "PortailClients.ObjetsCourrier.Update")


def body(usable, assignment):
    return json.dumps({"utilisablePourLiasse": usable, "typeAffectation": assignment}).encode()


class AuditTest(PortailTest):
    def audit(self, store, *flags):
        done = run("audit", "--store", store, "--json", *flags)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def put(self, server, identifier, correlation_id, content, *flags):
        headers = [self.bearer("sub-admin", *UPDATE, *flags), ("Content-Type", "application/json"),
                   ("X-Correlation-Id", correlation_id)]
        return server.ask("PUT", f"/api/app/objet-courrier/{identifier}", headers, content)

    def test_every_change_leaves_a_record(self):
        store = f"lmdb:{self.path('changes')}"
        user = pwd.getpwuid(os.geteuid()).pw_name
        must_run("import", "--store", store, self.document())
        with Server(self.folder, "--store", store) as server:
            first = self.put(server, 1, "put-1", body(False, "Obligatoire"), "--client-id", "web")
            self.assertEqual(first.status, 200)
            self.assertEqual(self.put(server, 2, "put-2", body(True, "Rien")).status, 200)  # the stored value already
            for content in (b"{}", b"["):
                self.assertEqual(self.put(server, 1, "refused", content).status, 400)
            self.assertEqual(self.put(server, 99, "refused", body(True, "Rien")).status, 404)
            grants = self.write("grants.json", json.dumps({"droits": [
                {"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}]}))
            must_run("import", "--store", store, grants)
            must_run("import", "--store", store, "--replace-configuration", self.document())
        records = self.audit(store)
        self.assertEqual([record["action"] for record in records],
                         ["import", "update", "update", "import", "grants", "replace-configuration", "import"])
        put, idle = records[1:3]
        self.assertEqual(list(put), ["time", "action", "route", "subject", "client", "systemUser", "correlationId", "previous",
                                     "previousHash", "salt", "changes"])
        self.assertRegex(put["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual((put["route"], put["subject"], put["client"], put["systemUser"], put["correlationId"]),
                         ("PUT /api/app/objet-courrier/{id}", "sub-admin", "web", None, "put-1"))
        before = {"utilisablePourLiasse": True, "typeAffectation": "Rien"}
        after = {"utilisablePourLiasse": False, "typeAffectation": "Obligatoire"}
        self.assertEqual(put["changes"], [{"objetCourrier": 1, "from": before, "to": after}])
        self.assertEqual(idle["changes"], [{"objetCourrier": 2, "from": before, "to": before}])
        self.assertEqual(records[4]["added"], [{"permission": "PortailClients.Dashboard.Host", "role": "gestionnaire"}])
        self.assertEqual(records[4]["correlationId"], records[3]["correlationId"])
        self.assertEqual(records[5]["changes"], [{"objetCourrier": 1, "from": after, "to": before}])
        for record in records[3:]:
            self.assertEqual((record["subject"], record["systemUser"]), (None, user))
        self.assertEqual(records[0]["sections"]["objetsCourrier"], {"added": 3, "changed": 0, "unchanged": 0, "removed": 0})

        def ids(*flags):
            return [record["correlationId"] for record in self.audit(store, *flags) if record["action"] == "update"]

        self.assertEqual(ids("--object", "1"), ["put-1"])
        self.assertEqual(ids("--client", "web"), ["put-1"])
        self.assertEqual(ids("--subject", "sub-admin"), ["put-1", "put-2"])
        self.assertEqual(ids("--subject", "unknown"), [])
        self.assertEqual(ids("--correlation-id", "put-2"), ["put-2"])
        self.assertEqual(ids("--since", put["time"], "--until", idle["time"]), ["put-1"])
        self.assertEqual(len(self.audit(store, "--subject", user)), 5)
        self.assertEqual([record["action"] for record in self.audit(store, "--action", "grants")], ["grants"])
        self.assertEqual(self.audit(store, "--since", "2999-01-01"), [])
        self.assertEqual(len(self.audit(store, "--until", "2999-01-01")), 7)

        lines = run("audit", "--store", store, "--action", "update").stdout.splitlines()
        self.assertEqual(lines[0], f"{put['time']}  update  sub-admin through web  objetCourrier 1: true Rien -> "
                                   "false Obligatoire  put-1")
        lines = run("audit", "--store", store, "--action", "grants").stdout.splitlines()
        self.assertIn(f"  grants  system user {user}  +PortailClients.Dashboard.Host role gestionnaire  ", lines[0])
        lines = run("audit", "--store", store, "--action", "import").stdout.splitlines()
        self.assertIn("  objetsCourrier 3 added 0 changed 0 unchanged 0 removed  tiers 1 added", lines[0])

    def test_what_the_command_refuses(self):
        self.assert_one_line(run("audit", "--store", f"lmdb:{self.path('not-there')}"), 1, "not-there")
        self.assert_one_line(run("audit", "--since", "yesterday"), 2, "--since must be 2026-01-31")
        self.assert_one_line(run("audit", "--action", "other"), 2, "--action")
        self.assert_one_line(run("audit", "--prune", "--audit-retention", "12 months"), 2, "--audit-retention")
        self.assert_one_line(run("audit", environment={"PORTAIL_AUDIT_RETENTION": "0d"}), 2, "PORTAIL_AUDIT_RETENTION must be 1 to 36500 days", "ms, s, min, h or d")

    def test_old_records_go(self):
        store = f"dir:{self.path('old')}"
        must_run("import", "--store", store, self.document())
        done = run("audit", "--store", store, "--prune", "--audit-retention", "1d")
        self.assertEqual((done.returncode, done.stdout), (0, "0 records removed\n"), done.stderr)
        self.assertEqual(len(self.audit(store)), 1)
        with Server(self.folder, "--store", store) as server:
            self.assertEqual(self.put(server, 1, "put-1", body(False, "Obligatoire")).status, 200)
        self.make_older(os.path.join(self.folder, "old"), days=2)
        self.assertEqual([record["action"] for record in self.audit(store)], ["import", "update"])
        done = run("audit", "--store", store, "--prune", "--audit-retention", "3d")
        self.assertEqual((done.returncode, done.stdout), (0, "0 records removed\n"), done.stderr)
        done = run("audit", "--store", store, "--prune", "--audit-retention", "1d")
        self.assertEqual((done.returncode, done.stdout), (0, "1 record removed\n"), done.stderr)
        done = run("audit", "--store", store, "--prune", "--audit-retention", "1d", "--json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '{"removed":0}\n', ""))
        self.assertEqual([record["action"] for record in self.audit(store)], ["update"])
        self.assertEqual(len([name for name in os.listdir(self.path("old")) if name.startswith("audit.")]), 1)

    def make_older(self, folder, days):
        """Changes the date of the first audit record, in its key and in the record that refers to it."""
        first, second = sorted(name for name in os.listdir(folder) if name.startswith("audit."))
        time = int(first.split(".")[1]) - days * 86_400 * 1_000_000
        older = f"audit.{time:016}.{first.split('.')[2]}"
        os.rename(os.path.join(folder, first), os.path.join(folder, older))
        with open(os.path.join(folder, second), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(first), 1)
        with open(os.path.join(folder, second), "w", encoding="utf-8") as file:
            file.write(text.replace(first, older))


if __name__ == "__main__":
    unittest.main()
