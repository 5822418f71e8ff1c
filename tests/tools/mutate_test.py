#!/usr/bin/env python3
"""Checks tools/mutate: the changes of a file, and the tests that judge them."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/mutate"))
from mutants import mutants_of  # noqa: E402
from suites import SUITES, suites_of  # noqa: E402

SOURCE = """#include "a.hpp"
// x < 1
int f(int x) {
  const int y =
      g(x);
  if (x < 2) {
    g(y);
  }
  return !h(x);
}
"""


class MutantsTest(unittest.TestCase):
    def test_the_changes_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cpp").write_text(SOURCE)
            found = [str(mutant) for mutant in mutants_of(pathlib.Path(folder), pathlib.Path("a.cpp"))]
        self.assertEqual(found, ["a.cpp:6: x < 2 -> false", "a.cpp:6: x < 2 -> true", "a.cpp:6: < -> <=", "a.cpp:6: < -> >=",
                                 "a.cpp:6: 2 -> 3", "a.cpp:7: without g(y);", "a.cpp:9: ! -> "])


class SuitesTest(unittest.TestCase):
    def test_a_file_has_the_suites_of_its_nearest_directory(self):
        rows = {"core/service.cpp": "core", "core/portal/audit/trail.cpp": "core/portal", "native/keys/http_get.cpp": "native/keys",
                "native/stores/redis/redis_url.cpp": "native/stores/redis", "native/stores/store_url.cpp": "native/stores"}
        for file, suites in rows.items():
            with self.subTest(file):
                self.assertTrue((ROOT / file).exists())
                self.assertEqual(suites_of(pathlib.Path(file)), SUITES[suites])
        self.assertEqual(suites_of(pathlib.Path("native/commands/serve.cpp")), [])

    def test_the_directories_and_their_tests_exist(self):
        lists = "".join(path.read_text() for path in (ROOT / "tests").rglob("CMakeLists.txt"))
        programs = set(re.findall(r"add_executable\((\w+)", lists))
        programs |= {f"unit_{path.parent.name}" for path in ROOT.glob("tests/unit/*/CMakeLists.txt")}
        named = set(re.findall(r"portail_program_test\((\S+?)[ )]", lists))
        checked = 0
        for folder, suites in SUITES.items():
            self.assertTrue(any((ROOT / folder).rglob("*.cpp")), folder)
            for suite in suites:
                with self.subTest(folder=folder, suite=suite):
                    checked += 1
                    if suite.target == "portail":
                        self.assertLessEqual(set(suite.tests.split("|")), named)
                    else:
                        self.assertIn(suite.target.removesuffix("_bearssl"), programs)
        self.assertGreater(checked, 30)


if __name__ == "__main__":
    unittest.main()
