#!/usr/bin/env python3
"""tools/lint/layers.py finds each include against the order, in both forms, and each fault of its table. Standard library only."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import layers  # noqa: E402

TABLE = "a/low:\na: a/low  # its files above the directories\nb: a a/low\n"
SOURCES = {"a/low/one.hpp": "", "a/two.hpp": '#include "a/low/one.hpp"\n', "b/three.cpp": '#include "a/two.hpp"\n# include <a/low/one.hpp>\n'}


class LayersTest(unittest.TestCase):
    def faults(self, changes):
        table, faults = layers.read_layers(TABLE)
        self.assertEqual(faults, [])
        return layers.check(table, SOURCES | changes)

    def test_a_sound_order_has_no_fault(self):
        self.assertEqual(self.faults({}), [])

    def test_an_include_of_a_later_directory(self):
        for form in ('#include "b/three.cpp"', "  #  include <b/three.cpp>"):
            with self.subTest(form=form):
                self.assertEqual(self.faults({"a/low/one.hpp": f"int x;\n{form}\n"}), ["a/low/one.hpp: a/low must not include b/three.cpp"])

    def test_a_system_header_is_no_directory(self):
        self.assertEqual(self.faults({"a/low/one.hpp": '#include <vector>\n#include "elsewhere/x.hpp"\n// #include "b/three.cpp"\n'}), [])

    def test_an_include_of_a_test(self):
        header = "tests/" + "x.hpp"  # not a file of this checkout
        self.assertEqual(self.faults({"a/low/one.hpp": f'#include "{header}"\n'}), [f"a/low/one.hpp: the product must not include {header}"])

    def test_a_directory_that_is_not_listed(self):
        self.assertEqual(self.faults({"c/four.hpp": ""}), ["c/four.hpp: its directory is missing in layers.txt"])

    def test_a_permission_that_is_not_needed(self):
        self.assertEqual(self.faults({"b/three.cpp": '#include "a/two.hpp"\n'}), ["layers.txt: b does not include a/low"])

    def test_the_table_lists_what_is_used_first(self):
        self.assertEqual(layers.read_layers("b: a\na:\n")[1], ["layers.txt:1: a is not above b"])
        self.assertEqual(layers.read_layers("a: a\n")[1], ["layers.txt:1: a is not above a"])
        self.assertEqual(layers.read_layers("a\na:\na:\n")[1],
                         ["layers.txt:1: must be a new DIRECTORY: DIRECTORY…", "layers.txt:3: must be a new DIRECTORY: DIRECTORY…"])

    def test_the_repository(self):
        table, faults = layers.read_layers(layers.LAYERS.read_text(encoding="utf-8"))
        sources = layers.product_sources()
        self.assertGreater(len(sources), 400)
        self.assertEqual(faults + layers.check(table, sources), [])


if __name__ == "__main__":
    unittest.main()
