#!/usr/bin/env python3
"""tools/dev docs builds the documentation site of this checkout, and fails on each kind of fault in a page.

Each case changes a copy of the pages. Needs MkDocs Material, which `tools/dev docs` installs into build/mkdocs."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tools" / "docs")]
from needed import missing  # noqa: E402
import site_source  # noqa: E402

BUILD = """
set -euo pipefail
checkout=$1
for part in output docs; do source "$checkout/tools/lib/$part.sh"; done
build_site "$2/checkout" "$2/source" "$2/site"
"""
ADDED = "docs/how-to" + "/added.md"  # not a file of this checkout


class ListsTest(unittest.TestCase):
    def test_content_of_items_is_indented_by_four(self):
        self.assertEqual(site_source.with_wide_lists("- a\n  b\n  - c\n    d\n- e\n"), "- a\n    b\n    - c\n        d\n- e\n")
        self.assertEqual(site_source.with_wide_lists("1. a\n\n   ```sh\n   x\n     y\n   ```\n2. b\n"),
                         "1. a\n\n    ```sh\n    x\n      y\n    ```\n\n2. b\n")

    def test_a_list_begins_after_an_empty_line(self):
        self.assertEqual(site_source.with_wide_lists("text:\n- a\n- b\n\ntext\n"), "text:\n\n- a\n- b\n\ntext\n")
        self.assertEqual(site_source.with_wide_lists("text of\n17. May\n"), "text of\n17. May\n")

    def test_blocks_of_code_stay(self):
        text = "```text\n- a\n  - b\n<!-- c -->\n| |\n|---|\n```\n"
        self.assertEqual(site_source.for_site(text), text)

    def test_comments_are_left_out(self):
        self.assertEqual(site_source.without_comments("a\n<!-- run: native -->\n```sh\nx\n```\n"), "a\n\n```sh\nx\n```\n")

    def test_tables(self):
        self.assertEqual(site_source.with_plain_tables("| | |\n|---|---|\n| `a\\|b` | c\\|d |\n"),
                         "| &nbsp; | |\n|---|---|\n| `a|b` | c\\|d |\n")

    def test_links(self):
        text = "[a](b.md#c) ![d](e.png) [f](https://g) `[h](i.md)` <img src=\"j.png\" width=1>\n\n[k]: l.md\n```\n[m](n.md)\n```\n"
        self.assertEqual(site_source.targets(text), (["b.md", "e.png", "l.md"], ["j.png"]))


class SiteTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-site-")))
        self.checkout = self.folder / "checkout"
        source = site_source.Site(ROOT)
        for name in [*source.pages, *source.files, "tools/docs/mkdocs.yml", "tools/docs/site_source.py"]:
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.checkout / name)

    def build(self):
        done = subprocess.run(["bash", "-c", BUILD, "bash", ROOT, self.folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def add(self, text, page=ADDED, linked=True):
        path = self.checkout / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if linked:
            with (self.checkout / "README.md").open("a") as file:
                file.write(f"\n[Added]({page})\n")

    def assert_fault(self, expected):
        status, output = self.build()
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_the_pages_of_this_checkout(self):
        status, output = self.build()
        self.assertEqual(status, 0, output)
        site = self.folder / "site"
        for page in (self.checkout / "docs").rglob("*.md"):
            html = site / page.relative_to(self.checkout).with_suffix(".html")
            self.assertTrue(html.is_file(), html)
        home = (site / "index.html").read_text()
        sections = re.findall(r'<span class="md-ellipsis">\s*(Tutorials|How-to|Reference|Explanation|Contributing|Notes)\s*<', home)
        self.assertEqual(list(dict.fromkeys(sections)), ["Tutorials", "How-to", "Reference", "Explanation", "Contributing"])
        self.assertTrue((site / "search/search_index.json").is_file())
        self.assertNotIn("<!-- run:", "".join(path.read_text() for path in site.rglob("*.html")))

    def test_no_resource_comes_from_other_servers(self):
        status, output = self.build()
        self.assertEqual(status, 0, output)
        for path in (self.folder / "site").rglob("*.html"):
            with self.subTest(path.name):
                self.assertEqual(re.findall(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//[^ >]*", path.read_text()), [])

    def test_an_added_page_is_in_the_navigation_under_its_heading(self):
        self.add("# Feed the ducks\n\nText.\n")
        status, output = self.build()
        self.assertEqual(status, 0, output)
        self.assertRegex((self.folder / "site/index.html").read_text(),
                         r'href="docs/how-to/added.html" class="md-nav__link">\s*<span class="md-ellipsis">\s*Feed the ducks\s*<')

    def test_a_broken_link_fails(self):
        self.add("# Added\n\n[gone](gone.md)\n")
        self.assert_fault("contains a link 'gone.md'")

    def test_a_broken_anchor_fails(self):
        self.add("# Added\n\n[gone](../../CONTRIBUTING.md#gone)\n")
        self.assert_fault("does not contain an anchor '#gone'")

    def test_a_missing_image_fails(self):
        self.add("# Added\n\n![gone](../pictures/gone.png)\n")
        self.assert_fault("contains a link '../pictures/gone.png'")

    def test_a_missing_image_in_html_fails(self):
        self.add('# Added\n\n<img src="../pictures/gone.png" alt="gone">\n')
        self.assert_fault(f"{ADDED}: ../pictures/gone.png is not a file of this checkout")

    def test_a_link_to_a_directory_fails(self):
        self.add("# Added\n\n[pictures](../pictures)\n")
        self.assert_fault(f"{ADDED}: ../pictures is not a file of this checkout")

    def test_an_orphan_page_fails(self):
        self.add("# Added\n\nText.\n", linked=False)
        self.assert_fault(f"{ADDED}: no other page links to it")

    def test_a_page_without_a_section_fails(self):
        page = "docs/elsewhere" + "/added.md"
        self.add("# Added\n\nText.\n", page=page)
        self.assert_fault(f"{page}: is in no section of the site")

    def test_a_page_without_a_title_or_with_two_fails(self):
        self.add("Text.\n")
        self.assert_fault(f"{ADDED}: has 0 H1 headings")
        self.add("# One\n\n# Two\n", linked=False)
        self.assert_fault(f"{ADDED}: has 2 H1 headings")


if __name__ == "__main__":
    if missing(ROOT / "build/mkdocs/bin/mkdocs", made_by="docs"):
        sys.exit(1)
    sys.exit(unittest.main())
