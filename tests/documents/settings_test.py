#!/usr/bin/env python3
"""The documents, the package's types and the files that hosts start from, against core/settings_table.hpp.

SETTING_ROWS is the program that prints the table. Standard library only.
"""

import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = json.loads(subprocess.run([os.environ["SETTING_ROWS"]], capture_output=True, text=True, check=True).stdout)


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def variables(host):
    return {row["variable"] for row in ROWS if row[host] and row["variable"]}


def table(document, first_cells):
    """The cells of each row of the table that begins with these cells, without its head."""
    lines = read(document).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_cells} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")])
    return rows


def named(cell):
    """What stands in back quotes."""
    return re.findall(r"`([^`]+)`", cell)


class DocumentTest(unittest.TestCase):
    def assert_tells_of(self, place, told, expected):
        self.assertEqual(sorted(set(expected) - set(told)), [], f"{place} lacks these")
        self.assertEqual(sorted(set(told) - set(expected)), [], f"{place} has these, which are none of its settings")
        self.assertEqual(len(told), len(set(told)), f"{place} has one twice")


class RowsTest(unittest.TestCase):
    """What docs/reference/settings.md, which is generated, takes for granted of the table."""

    def test_names_are_unique_and_have_a_help(self):
        for member in ("name", "variable"):
            names = [row[member] for row in ROWS if row[member]]
            self.assertEqual(len(names), len(set(names)), member)
        for row in ROWS:
            with self.subTest(row["name"]):
                self.assertTrue(row["help"])
                self.assertFalse(row["help"].endswith("."), "the manual adds the full stop")
                self.assertFalse(row["default"] and "; default: " in row["help"], "the help repeats the default")

    def test_a_variable_is_the_name(self):
        for row in ROWS:
            if row["variable"]:
                singular = "PORTAIL_" + row["name"].upper().replace("-", "_")
                self.assertIn(row["variable"], [singular, singular + "S", singular.removesuffix("Y") + "IES"])


class GuestsTest(DocumentTest):
    def test_edge_has_those_of_components_by_both_names(self):
        upper, lower = [], []
        for environment, config, _ in table("docs/reference/components.md", "environment | `wasi:config`"):
            upper += named(environment)
            lower += named(config) or [name.lower() for name in named(environment)]
        self.assert_tells_of("docs/reference/components.md", upper, variables("component"))
        self.assertEqual(lower, [name.lower() for name in upper])

    def test_embedding_has_those_of_the_package(self):
        names = [name for cells in table("docs/reference/module-abi.md", "setting") for name in named(cells[0])]
        self.assert_tells_of("docs/reference/module-abi.md", names, variables("package"))

    def test_the_types_of_the_package(self):
        source = read("wasm/package/src/settings.ts")
        members = dict(re.findall(r"^  (PORTAIL_\w+)\?: (.+) \| undefined;$", source.split("interface Settings {")[1].split("\n}")[0],
                                  re.MULTILINE))
        self.assert_tells_of("wasm/package/src/settings.ts", list(members), variables("package"))
        lists = re.findall(r'"(\w+)"', re.search(r"^const lists = \[(.*)\];$", source, re.MULTILINE)[1])
        self.assertEqual(sorted(lists), sorted(row["variable"] for row in ROWS if row["package"] and row["isList"]))
        for row in ROWS:
            if not row["package"]:
                continue
            with self.subTest(row["name"]):
                kind = members[row["variable"]]
                self.assertEqual("readonly string[]" in kind, row["isList"])
                self.assertEqual("number" in kind, row["isNumber"])
                self.assertEqual("boolean" in kind, row["isToggle"])
                self.assertEqual([choice for choice in re.findall(r'"(\w+)"', kind)], row["choices"])


class StartingPointsTest(DocumentTest):
    """The files that an operator copies name no setting that their host does not have."""

    def test_each_name_is_one_of_its_host(self):
        for path, host in [("native/systemd/portail.env", "program"), ("native/systemd/portail.service", "program"),
                           ("edge/wasmcloud/workload.yaml", "component"), ("edge/wasmcloud/.wash/config.yaml", "component"),
                           ("edge/spin/spin.toml", "component"), ("edge/spin/spin-p2.toml", "component")]:
            with self.subTest(path):
                names = {name.upper() for name in re.findall(r"\b(?:PORTAIL|portail)_[A-Za-z_]+", read(path))}
                self.assertTrue(names)
                self.assertLessEqual(names, variables(host))

    def test_workerd_passes_all_of_them_on(self):
        names = re.findall(r'name = "(PORTAIL_\w+)", fromEnvironment = "(PORTAIL_\w+)"', read("wasm/examples/workerd/config.capnp"))
        self.assert_tells_of("wasm/examples/workerd/config.capnp", [name for name, _ in names], variables("package"))
        for name, source in names:
            self.assertEqual(source, name)


if __name__ == "__main__":
    unittest.main()
