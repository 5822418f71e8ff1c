#!/usr/bin/env python3
"""Compares the documents, the package's types and the configuration files of hosts with native/settings/setting_table.hpp.

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
    """Returns the cells of each row of the table whose header begins with these cells, without the header."""
    lines = read(document).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first_cells} |"))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")])
    return rows


def named(cell):
    """Returns the texts in back quotes."""
    return re.findall(r"`([^`]+)`", cell)


class DocumentTest(unittest.TestCase):
    def assert_lists(self, path, listed, expected):
        self.assertEqual(sorted(set(expected) - set(listed)), [], f"{path} lacks these")
        self.assertEqual(sorted(set(listed) - set(expected)), [], f"{path} has these, which are not its settings")
        self.assertEqual(len(listed), len(set(listed)), f"{path} has one twice")


class RowsTest(unittest.TestCase):
    """Assumptions of the generator of docs/reference/settings.md about the table."""

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
    def test_components_page_lists_both_names_of_each_setting(self):
        upper, lower = [], []
        for environment, config, _ in table("docs/reference/components.md", "environment | `wasi:config`"):
            upper += named(environment)
            lower += named(config) or [name.lower() for name in named(environment)]
        self.assert_lists("docs/reference/components.md", upper, variables("component"))
        self.assertEqual(lower, [name.lower() for name in upper])

    def test_module_abi_page_lists_the_settings_of_the_package(self):
        names = [name for cells in table("docs/reference/module-abi.md", "setting") for name in named(cells[0])]
        self.assert_lists("docs/reference/module-abi.md", names, variables("package"))

    def test_types_of_the_package_match_the_table(self):
        source = read("wasm/hosts/javascript/src/settings.ts")
        members = dict(re.findall(r"^  (PORTAIL_\w+)\?: (.+) \| undefined;$", source.split("interface Settings {")[1].split("\n}")[0],
                                  re.MULTILINE))
        self.assert_lists("wasm/hosts/javascript/src/settings.ts", list(members), variables("package"))
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
                self.assertEqual([choice for choice in re.findall(r'"([\w-]+)"', kind)], row["choices"])


class DefaultsTest(unittest.TestCase):
    def test_stated_defaults_are_those_of_the_table(self):
        defaults = {row["name"]: (row["default"].removesuffix("d"), row["allowed"].split()[-1]) for row in ROWS if row["isNumber"]}
        stated = []
        for path in [ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            stated += re.findall(r"`--([a-z-]+)`\s+\(default:\s+(\d+)\s+(\w+)|\(`--([a-z-]+)`,\s+default:\s+(\d+)\s+(\w+)",
                                 path.read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(stated), 8)
        for groups in stated:
            name, value, unit = filter(None, groups)
            with self.subTest(name):
                self.assertEqual((value, unit), defaults[name])


class StartingPointsTest(DocumentTest):
    """The files that an operator copies contain only settings of their host."""

    def test_each_name_is_a_setting_of_the_host(self):
        for path, *hosts in [("native/systemd/portail.env", "program"), ("native/systemd/portail.service", "program"),
                             ("edge/wasmcloud/workload.yaml", "component"), ("edge/wasmcloud/.wash/config.yaml", "component"),
                             ("edge/spin/spin.toml", "component"), ("edge/spin/spin-p2.toml", "component"),
                             ("edge/spin/manage.toml", "component", "management"), ("edge/spin/manage-p2.toml", "component", "management"),
                             ("edge/fastly/fastly.toml", "component")]:
            with self.subTest(path):
                names = {name.upper() for name in re.findall(r"\b(?:PORTAIL|portail)_[A-Za-z_]+", read(path))}
                self.assertTrue(names)
                self.assertLessEqual(names, set().union(*map(variables, hosts)))

    def test_workerd_passes_all_settings_of_the_package(self):
        names = re.findall(r'name = "(PORTAIL_\w+)", fromEnvironment = "(PORTAIL_\w+)"', read("wasm/examples/workerd/config.capnp"))
        self.assert_lists("wasm/examples/workerd/config.capnp", [name for name, _ in names], variables("package"))
        for name, source in names:
            self.assertEqual(source, name)


if __name__ == "__main__":
    unittest.main()
