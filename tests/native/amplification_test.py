"""Answers much larger than the import: each piece of a bundle repeats its mail object's texts, and a list contains every bundle. The size
of a bundle limits the answer, and the server limits the memory for it."""

import json
import os
import unittest

from support.program import PATIENCE, PortailTest, Server, Worker, run

LIST = "/api/app/liasse"
TEXT = 60_000
PIECES = 17  # one more is refused
MEBIBYTE = 1024 * 1024


class AmplificationTest(PortailTest):
    def portal(self, bundles, pieces):
        return {
            "objetsCourrier": [{"id": 1, "typeObjet": "CNI", "description": "d" * TEXT, "utilisablePourLiasse": True,
                                "typeAffectation": "Rien"}],
            "tiers": [{"numeroTiers": "T1", "nomTiers": "N", "prenomTiers": "P", "utilisateurs": ["sub-client"], "gestionnaires": []}],
            "liasses": [{"id": f"{i:03}", "nomDossier": "D", "creationDate": "2024-01-15T10:30:00Z", "numeroTiers": "T1",
                         "numeroPret": "P", "montantOpportunite": 1, "opportuniteMiseEnPlace": False,
                         "piecesAttendues": [{"id": f"3f2504e0-4f89-41d3-9a0c-{i:06x}{j:06x}", "objetCourrier": 1,
                                              "statut": "Attendu", "motif": ""} for j in range(pieces)]}
                        for i in range(bundles)],
        }

    def imported(self, name, portal):
        document = self.write(f"{name}.json", json.dumps(portal))
        return f"lmdb:{self.path(name)}", run("import", "--store", f"lmdb:{self.path(name)}", document)

    def test_a_bundle_that_would_answer_more_is_refused(self):
        _, done = self.imported("refused", self.portal(1, PIECES + 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("liasses[0]: too large: its answer would exceed 1 MiB", done.stderr + done.stdout)

    def test_the_largest_list_is_bounded_and_released(self):
        # A sanitizer needs minutes instead of a second.
        bundles, callers = (10, 4) if os.environ.get("PORTAIL_SANITIZE") else (60, 20)
        store, done = self.imported("largest", self.portal(bundles, PIECES))
        self.assertEqual(done.returncode, 0, done.stderr)
        auth = self.bearer()
        answers = []
        with Server(self.folder, "--store", store, "--insecure-http", tls=False) as server:
            def ask():
                answers.append(server.ask("GET", LIST, [auth]))

            threads = [Worker(ask) for _ in range(callers)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(4 * PATIENCE)
            self.assertEqual([answer.status for answer in answers], [200] * callers)
            max_length = max(len(answer.body) for answer in answers)
            self.assertGreater(max_length, bundles * MEBIBYTE * 0.9)  # the list is as large as intended
            self.assertLessEqual(max_length, bundles * MEBIBYTE)
            self.assertLess(server.peak_memory(), 300)  # of answers of 1.2 GiB together


if __name__ == "__main__":
    unittest.main()
