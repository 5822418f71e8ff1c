#!/usr/bin/env python3
"""Checks that the citations of comments and documents exist: files, headings, rows of the contract, targets of links.

A citation is a page and one or more of its headings, `docs/reference/contract.md, "Requests", "Tokens"`; of the contract also the
beginning of a row, `docs/reference/contract.md, "Tokens: claims"`. Standard library only.
"""

import functools
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))

from contract_rows import rows_of_page  # noqa: E402

MADE = {"build", ".root", ".portail", ".git", "node_modules", "__pycache__", "corpus"}  # not the project's own text
SOURCES = {".cpp", ".hpp", ".h", ".c", ".py", ".sh", ".cmake", ".txt", ".md", ".mjs", ".js", ".ts", ".go", ".rs", ".java", ".wit",
           ".html", ".css", ".service", ".conf", ".toml", ""}
FOLDERS = "core|native|edge|wasm|page/source|tests|tools|docs|fixtures|cmake"

CITATION = re.compile(r'((?:[\w.-]+/)*[\w.-]+\.md)\)?((?:,| and) "[^"]+")((?:(?:,| and) "[^"]+")*)')
PATH = re.compile(rf"(?<![\w./{{}}$*-])(?:{FOLDERS})/[\w./-]*\.(?:md|hpp|cpp|h|c|py|sh|mjs|js|ts|go|rs|java|cmake|txt|json)\b")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A page that is somewhere else, or nowhere.
ELSEWHERE = re.compile(r'\b[Cc]ontract, (?:"|[A-Z])|\bseed, section|\barchitecture[:,] |shared/(?:contract|architecture|seed)')


def own_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - MADE)
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            if path.suffix in SOURCES and path.is_file() and path != pathlib.Path(__file__).resolve():
                yield path


def joined(text):
    """Returns the text on one line, so that citations across the lines of a comment are found."""
    return re.sub(r"\s*\n\s*(?://+|#+|\*)?\s*", " ", text)


def citations(text):
    for page, first, more in CITATION.findall(joined(text)):
        for heading in re.findall(r'"([^"]+)"', first + more):
            yield page, heading


@functools.cache
def headings(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {heading.replace("`", "") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def anchors(page):
    """Returns GitHub's anchors of the headings."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings(page)}


def has_heading(page, heading):
    if heading in headings(page):
        return True
    rows = rows_of_page(page.read_text(encoding="utf-8"))
    return any(row == heading or row.startswith(heading + ",") or
               (": " in heading and row.startswith(heading + " ")) for row in rows)


def find_page(name, beside):
    """Resolves the path of a page, from the root, or, in links, from the directory of the linking page."""
    for folder in (ROOT, beside):
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


class CitationsTest(unittest.TestCase):
    def test_cited_headings_are_there(self):
        count = 0
        for path in own_files():
            for page, heading in citations(path.read_text(encoding="utf-8")):
                count += 1
                with self.subTest(file=str(path.relative_to(ROOT)), page=page, heading=heading):
                    found = find_page(page, path.parent)
                    self.assertIsNotNone(found, "no such page")
                    self.assertTrue(has_heading(found, heading), "no such heading")
        self.assertGreater(count, 80)

    def test_named_files_are_there(self):
        count = 0
        for path in own_files():
            for name in PATH.findall(path.read_text(encoding="utf-8")):
                count += 1
                with self.subTest(file=str(path.relative_to(ROOT)), names=name):
                    self.assertTrue((ROOT / name).exists() or (path.parent / name).exists())
        self.assertGreater(count, 1000)

    def test_links_lead_somewhere(self):
        count = 0
        for path in own_files():
            if path.suffix != ".md":
                continue
            for target in LINK.findall(path.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, anchor = target.partition("#")
                page = path.parent / name if name else path
                with self.subTest(file=str(path.relative_to(ROOT)), link=target):
                    self.assertTrue(page.exists(), "no such file")
                    self.assertTrue(not anchor or anchor in anchors(page.resolve()), "no such heading")
        self.assertGreater(count, 40)

    def test_no_citation_lacks_its_path(self):
        for path in own_files():
            with self.subTest(file=str(path.relative_to(ROOT))):
                self.assertEqual(ELSEWHERE.findall(joined(path.read_text(encoding="utf-8"))), [])

    def test_missing_headings_are_detected(self):
        page = ROOT / "docs/reference/contract.md"
        for heading in ("Tokens", "Tokens: claims", "Tokens: claims, iss", "Endpoints"):
            self.assertTrue(has_heading(page, heading), heading)
        for heading in ("Token", "Tokens: claim", "Claims", "Errors: claims", "claims"):
            self.assertFalse(has_heading(page, heading), heading)
        self.assertEqual(list(citations('// see (docs/reference/contract.md, "Answers: which\n// pieces count", "Errors"), and')),
                         [("docs/reference/contract.md", "Answers: which pieces count"), ("docs/reference/contract.md", "Errors")])
        self.assertEqual(list(citations('[the contract](docs/reference/contract.md), "Requests"')), [("docs/reference/contract.md", "Requests")])
        self.assertEqual(PATH.findall("// core/http/none.hpp, tests/none.py; build/wasm/none.js"),
                         ["core/http/none.hpp", "tests/none.py"])
        self.assertTrue(ELSEWHERE.search("// contract, Tokens") and ELSEWHERE.search("(architecture: storage layout)"))


if __name__ == "__main__":
    sys.exit(unittest.main())
