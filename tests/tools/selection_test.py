#!/usr/bin/env python3
"""Checks the lists of tests that a run leaves out: tests/repeated.txt names cases of the contract suite, tests/later.txt names tests of
ctest, and every test of ctest runs without --full, with it, or with --all. Standard library only."""

import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path.insert(0, str(ROOT / "tools/lib"))
import count_tests  # noqa: E402

BUILDS = {"release": ROOT / "build", "wasi": ROOT / "build/wasi", "emscripten": ROOT / "build/emscripten"}


def rows(name, count):
    return count_tests.read_rows((TESTS / name).read_text(encoding="utf-8"), count)


def entries(*selection):
    """{name: labels} of tests of ctest."""
    shown = subprocess.run(["ctest", "--show-only=json-v1", *selection], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {test["name"]: next((each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"), [])
            for test in json.loads(shown)["tests"]}


def presets_of(function):
    """The presets whose tests this function of tools/lib/build.sh runs."""
    body = re.search(rf"^{function}\(\) {{\n(.*?)^}}", (ROOT / "tools/lib/build.sh").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    return re.search(r'run_tests "([^"]+)"', body)[1].split() + (["package"] if "package --test" in body else [])


class SelectionTest(unittest.TestCase):
    def test_each_part_of_a_filter_has_a_case(self):
        cases = {".".join(case) for file in TESTS.glob("contract/**/*_test.cpp")
                 for case in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", file.read_text(encoding="utf-8"), re.MULTILINE)}
        self.assertIn("Caching.Vary", cases)
        filters = [remaining for _, remaining, _ in rows("repeated.txt", 3) if remaining not in ("none", "once")]
        self.assertNotEqual(filters, [])
        self.assertEqual([part for remaining in filters for part in remaining.split(":") if not fnmatch.filter(cases, part)], [])

    def test_each_test_of_ctest_runs_in_some_check(self):
        presets = {preset["name"]: preset for preset in json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]}
        full = presets_of("full_test")
        self.assertEqual(full, ["release", "wasi", "edge", "emscripten", "wasm", "package"])
        for build, folder in BUILDS.items():
            if (folder / "CTestTestfile.cmake").exists():
                selected = {}
                for name in full:
                    if presets[name]["configurePreset"] == build:
                        selected |= entries("--preset", name)
                self.assertEqual(set(entries("--test-dir", folder)) - set(selected), set())
        self.assertGreater(len(entries("--preset", "release")), 100)

    def test_a_test_that_waits_is_labelled_and_exists(self):
        landing = presets_of("landing_test")
        self.assertEqual(landing, ["release", "edge", "wasm"])
        labels = {f"{build}/{name}": found for build, folder in BUILDS.items() if (folder / "CTestTestfile.cmake").exists()
                  for name, found in entries("--test-dir", folder).items()}
        for pattern, _ in rows("later.txt", 2):
            with self.subTest(pattern):
                if any((BUILDS[build] / "CTestTestfile.cmake").exists() for build in BUILDS if build in pattern):
                    named = [name for name in labels if re.fullmatch(pattern, name)]
                    self.assertTrue(named, "no test has this name")
                    self.assertEqual([name for name in named if "later" not in labels[name]], [])
        self.assertNotIn("later", labels["release/contract.native"])
        self.assertIn("later", labels["release/native.kill"])


if __name__ == "__main__":
    sys.exit(unittest.main())
