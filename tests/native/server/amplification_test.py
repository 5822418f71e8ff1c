"""Answers much larger than the import: each piece of a bundle repeats its mail object's texts, and a list contains every bundle. The size
of a bundle limits the answer, and the server limits the memory for it."""

import json
import os
import unittest

from support.program import PATIENCE, PortailTest, Server, Worker, must_run

from portal import small_portal  # in tests/support, which support.program adds to the path

LIST = "/api/app/liasse"
TEXT = 60_000
PIECES = 17  # one more is refused (tests/unit/exchange/answer_sizes_test.cpp)
MEBIBYTE = 1024 * 1024


class AmplificationTest(PortailTest):
    def large(self, bundles):
        """Writes a document with so many of the largest bundles."""
        portal = small_portal(1, bundles)
        portal["objetsCourrier"][0]["description"] = "d" * TEXT
        for i, bundle in enumerate(portal["liasses"]):
            piece, = bundle["piecesAttendues"]
            bundle["piecesAttendues"] = [piece | {"id": f"3f2504e0-4f89-41d3-9a0c-{i:06x}{j:06x}", "motif": ""} for j in range(PIECES)]
        return self.write("large.json", json.dumps(portal))

    def test_the_largest_list_is_bounded_and_released(self):
        # A sanitizer needs minutes instead of a second.
        bundles, callers = (10, 4) if os.environ.get("TEST_SANITIZE") else (60, 20)
        store = f"lmdb:{self.path('largest')}"
        must_run("import", "--store", store, self.large(bundles))
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
