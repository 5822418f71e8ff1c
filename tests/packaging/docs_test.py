#!/usr/bin/env python3
"""The archive of the documentation site: complete, closed and reproducible. Argument: the archive. Standard library only.

The archive is built again from a copy of the pages in another directory, with another umask and time zone, and compared byte for byte."""

import filecmp
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / "support"), str(CHECKOUT / "tools" / "docs")]
from needed import missing  # noqa: E402
import site_source  # noqa: E402

ARCHIVE = pathlib.Path(sys.argv[1])
NAME = ARCHIVE.name.removesuffix(".tar.gz")
MAKE = """
set -euo pipefail
umask 077
export TZ=Pacific/Auckland
checkout=$1
for part in output docs packaging; do source "$1/tools/lib/$part.sh"; done
cd "$2"
build_site "$2" "$2/build/site-source" "$2/build/site"
checkout=$2 packages_folder=$2/build/packages
mkdir -p "$packages_folder"
build_docs_archive
"""


class Links(html.parser.HTMLParser):
    """The anchors of a page, and the targets of its links, pictures, scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.targets = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append((tag, value))


class DocsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-docs-")))
        with tarfile.open(ARCHIVE) as archive:
            cls.members = archive.getmembers()
            archive.extractall(cls.folder, filter="data")
        cls.site = cls.folder / NAME
        cls.pages = {path: Links(path.read_text()) for path in sorted(cls.site.rglob("*.html"))}

    def test_the_members(self):
        self.assertEqual({member.name.partition("/")[0] for member in self.members}, {NAME})
        self.assertEqual(len({member.mtime for member in self.members}), 1)
        self.assertEqual({(member.uid, member.gid, member.uname, member.gname) for member in self.members}, {(0, 0, "", "")})
        self.assertEqual({member.mode for member in self.members if member.isfile()}, {0o644})
        self.assertEqual([member.name for member in self.members if not member.isfile() and not member.isdir()], [])

    def test_every_page_is_there(self):
        pages = [path.relative_to(CHECKOUT).with_suffix(".html") for path in (CHECKOUT / "docs").rglob("*.md")]
        self.assertGreater(len(pages), 10)
        for page in ["index.html", "ARCHITECTURE.html", "CHANGELOG.html", "CONTRIBUTING.html", "SECURITY.html", *pages]:
            self.assertTrue((self.site / page).is_file(), page)

    def test_every_page_can_be_found(self):
        entries = json.loads((self.site / "search/search_index.json").read_text())["docs"]
        found = {entry["location"].partition("#")[0] for entry in entries}
        pages = {path.relative_to(self.site).as_posix() for path in self.pages} - {"404.html"}
        self.assertEqual(pages - found, set())

    def test_every_link_leads_to_a_file_and_an_anchor(self):
        count = 0
        for path, links in self.pages.items():
            if path.name == "404.html":  # its links begin at the root of a server
                continue
            for tag, target in links.targets:
                if re.match(r"[a-z]+:", target):
                    self.assertEqual(tag, "a", f"{path.name} loads {target}")
                    continue
                count += 1
                name, _, anchor = urllib.parse.unquote(target).partition("#")
                file = (path.parent / name).resolve() if name else path
                with self.subTest(page=path.relative_to(self.site).as_posix(), link=target):
                    self.assertTrue(file.is_file() or (file / "index.html").is_file(), "no such file")
                    if anchor and file in self.pages:
                        self.assertIn(anchor, self.pages[file].anchors)
        self.assertGreater(count, 1000)

    def test_the_same_pages_give_the_same_bytes(self):
        checkout = self.folder / "elsewhere"
        source = site_source.Site(CHECKOUT)
        for name in [*source.pages, *source.files, "tools/docs/mkdocs.yml", "tools/docs/site_source.py", "CMakeLists.txt"]:
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, checkout / name)
        done = subprocess.run(["bash", "-c", MAKE, "bash", CHECKOUT, checkout], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(filecmp.cmp(checkout / "build/packages" / ARCHIVE.name, ARCHIVE, shallow=False), "other bytes")


if __name__ == "__main__":
    if missing(ARCHIVE, CHECKOUT / "build/mkdocs/bin/mkdocs", made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
