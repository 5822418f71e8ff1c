"""portail person: what is stored about a subject, and its erasure, beside a server."""

import json
import os
import unittest

from support.program import PortailTest, Server, must_run, run, until

NAME = "PortailClients.ObjetsCourrier.Update"


class PersonTest(PortailTest):
    def setUp(self):
        self.store = f"lmdb:{self.path(self.id())}"
        portal = json.loads(self.read(self.document()))
        portal["liasses"][1]["piecesAttendues"][0] |= {"statut": "Déposé", "dateDepot": "2024-02-01T09:00:00+00:00"}
        must_run("import", "--store", self.store, self.write("deposited.json", json.dumps(portal)))

    def exported(self, subject, *flags, **options):
        done = run("person", "export", "--store", self.store, subject, *flags, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def erased(self, subject, *flags):
        done = run("person", "erase", "--store", self.store, subject, *flags)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def audit(self, *flags):
        return [json.loads(line) for line in must_run("audit", "--store", self.store, "--json", *flags).splitlines()]

    def test_beside_a_server(self):
        with Server(self.folder, "--store", self.store) as server:
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer("sub-client")]).status, 200)
            admin = [("Authorization", "Bearer " + self.token("sub-client", "--permission", NAME)), ("Content-Type", "application/json")]
            body = b'{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", admin, body).status, 200)
            before = self.exported("sub-client")
            self.assertEqual([each["liasse"] for each in before["consultations"]], ["L-00001"])
            self.assertEqual([each["action"] for each in before["audit"]], ["update"])
            self.assertEqual([each["relations"] for each in before["tiers"]], [["utilisateur"]])
            self.assertIn("L-00001", [each["id"] for each in before["liasses"]])

            planned = json.loads(self.erased("sub-client", "--dry-run", "--json"))
            self.assertEqual(planned, {"dryRun": True, "auditRecords": 1, "consultations": 1, "pseudonym": None, "remainingThirdParties": 1,
                                       "remainingGrants": 0})
            self.assertEqual(self.exported("sub-client"), before)
            said = self.erased("sub-client").splitlines()
            self.assertEqual(said[:2], ["audit records    1", "consultations    1"])
            pseudonym = said[2].split()[1]
            self.assertEqual(said[3:], ["remain           1 third party: remove the subject from the source, import it, and erase again"])
            after = self.exported("sub-client")
            self.assertEqual((after["consultations"], after["audit"]), ([], []))
            self.assertEqual([each["action"] for each in self.audit("--subject", pseudonym)], ["update"])
            self.assertEqual([each["pseudonym"] for each in self.audit("--action", "erasure")], [pseudonym])
            # The server goes on: the audit has a next record.
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", admin, body).status, 200)
        self.assertEqual([each["action"] for each in self.audit()][-3:], ["update", "erasure", "update"])
        self.assertEqual(len(self.audit("--subject", "sub-client")), 1)
        must_run("check", "--store", self.store, "--jwks", self.path("public.json"), "--issuer", "https://issuer.test", "--audience", "portail",
                 "--insecure-http")

    def test_the_pseudonym_of_the_log(self):
        key = "k" * 32
        with Server(self.folder, "--store", self.store, "--log-key", key) as server:
            server.ask("GET", "/api/app/liasse", [self.bearer("sub-client")])
            lines = until(lambda: [line for line in server.log_lines() if line.get("route") == "/api/app/liasse"], "the line")
        [subject] = {line["subject"] for line in lines}
        self.assertEqual(self.exported("sub-client", "--log-key", key)["logPseudonym"], subject)
        self.assertIsNone(self.exported("sub-client")["logPseudonym"])

    def test_an_unknown_subject(self):
        records = len(self.audit())
        self.assertEqual(self.erased("unknown"), "audit records    0\nconsultations    0\n")
        self.assertEqual(len(self.audit()), records)

    def test_faults(self):
        for subject in ("", "x" * 256, "\udcff"):
            for verb in ("export", "erase"):
                self.assert_one_line(run("person", verb, "--store", self.store, subject), 2, "SUB must be 1 to 255 bytes of UTF-8")
        self.assert_one_line(run("person", "export", "--store", self.store), 2, "SUB is missing")
        for verb in ("export", "erase"):
            self.assert_one_line(run("person", verb, "--store", f"lmdb:{self.path('none')}", "x"), 1, "none does not exist")
        self.assertFalse(os.path.exists(self.path("none")))


if __name__ == "__main__":
    unittest.main()
