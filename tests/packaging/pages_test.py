#!/usr/bin/env python3
"""The pages in packages: without comments, and with links to files of the package only. Arguments: the folders of the packages.
Standard library only."""

import email
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parents[1] / "tools" / "docs")]
from needed import missing  # noqa: E402
from package_pages import rendered  # noqa: E402
from site_source import targets, without_comments  # noqa: E402

FOLDERS = list(map(pathlib.Path, sys.argv[1:]))


def pages_of(package):
    """Returns the names of all files of a package, and the texts of its pages by their names."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            names = archive.namelist()
            metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
            return set(names), {metadata: email.message_from_bytes(archive.read(metadata)).get_payload()}
    content = package.read_bytes()
    if package.suffix == ".deb":
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = {os.path.normpath(member.name): member for member in archive.getmembers()}
        pages = {name: archive.extractfile(member).read().decode() for name, member in members.items() if name.endswith(".md")}
    return set(members), pages


class PagesTest(unittest.TestCase):
    def test_the_pages_of_each_package(self):
        count = 0
        for package in (path for folder in FOLDERS for path in sorted(folder.iterdir())):
            if not package.name.endswith((".tgz", ".tar.gz", ".whl", ".deb")):
                continue
            files, pages = pages_of(package)
            count += len(pages)
            for page, text in pages.items():
                with self.subTest(package=package.name, page=page):
                    self.assertEqual(without_comments(text).rstrip(), text.rstrip())
                    links = [os.path.normpath(os.path.join(os.path.dirname(page), link)) for each in targets(text) for link in each]
                    self.assertEqual([link for link in links if link not in files], [])
        self.assertGreaterEqual(count, len(FOLDERS))

    def test_a_page(self):
        page = ("# A\n\n<!-- run: native -->\n```sh\n# <!-- stays --> [a](b)\n```\n\n"
                "- Item:\n\n  <!-- run: native -->\n  ```sh\n  a\n  ```\n\n"
                "Text<!-- goes -->, `[a](b)`, [of `code`](gone.md), ![a picture](gone.png),\n"
                "[kept](kept.md#part), [here](#a), [a site](https://site.example/).\n<!-- several\nlines -->\n")
        expected = ("# A\n\n```sh\n# <!-- stays --> [a](b)\n```\n\n"
                    "- Item:\n\n  ```sh\n  a\n  ```\n\n"
                    "Text, `[a](b)`, of `code`, a picture,\n"
                    "[kept](in/kept.md#part), [here](#a), [a site](https://site.example/).\n")
        self.assertEqual(rendered(page, lambda link: "in/kept.md" if link == "kept.md" else None), expected)


if __name__ == "__main__":
    if missing(*FOLDERS, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])
