#!/usr/bin/env python3
"""package_pages.py FOLDER SOURCE=TARGET...: renders the pages of a package, in place, as its readers need them.

FOLDER is the package. Each SOURCE, a file or a directory of this checkout, is at TARGET in it; "." is FOLDER itself. In the pages there,
comments, among them the marks of tests/documents/blocks.py, are removed. A link leads to the same file in the package; a link to
what the package lacks becomes its text. Standard library only."""

import os
import pathlib
import re
import sys

from site_source import CODE_SPAN, local, split_fences, without_comments

LINK = re.compile(r"(!?\[((?:[^\[\]]|\[[^\]]*\])*)\])\(([^)\s]+)\)")


def rendered(text, relocated):
    """Returns the text of a page. `relocated` returns the link in the package for a relative link without its anchor; None if the
    package lacks the file."""
    def replaced(link):
        if not local([link[3]]):
            return link[0]
        path, mark, anchor = link[3].partition("#")
        found = relocated(path)
        return link[2] if found is None else f"{link[1]}({found}{mark}{anchor})"

    parts, code = [], []

    def kept(span):
        code.append(span[0])
        return f"\0{len(code) - 1}\0"

    for fenced, lines in split_fences(without_comments(text)):
        if not fenced:  # a comment leaves an empty line
            lines = [line for i, line in enumerate(lines) if line.strip() or i == 0 or lines[i - 1].strip()]
        part = "\n".join(lines)
        parts.append(part if fenced else LINK.sub(replaced, CODE_SPAN.sub(kept, part)))
    return re.sub("\0(\\d+)\0", lambda found: code[int(found[1])], "\n".join(parts)).rstrip("\n") + "\n"


class Package:
    def __init__(self, folder, pairs):
        self.folder = pathlib.Path(folder)
        self.pairs = [(os.path.normpath(source), os.path.normpath(target)) for source, target in pairs]

    def target_of(self, source):
        """Returns the path in the package of a path in the checkout, or None."""
        for begin, target in self.pairs:
            if source == begin or source.startswith(begin + "/"):
                found = os.path.normpath(target + source[len(begin):])
                if (self.folder / found).exists():
                    return found
        return None

    def pages(self):
        """Yields the pages as (path in the checkout, path in the package)."""
        for source, target in self.pairs:
            root = self.folder / target
            for path in [root] if root.is_file() else sorted(root.rglob("*.md")):
                if path.suffix == ".md":
                    yield os.path.normpath(source + "/" + path.relative_to(root).as_posix()), path.relative_to(self.folder).as_posix()

    def render(self):
        for source, target in list(self.pages()):
            def relocated(link):
                found = self.target_of(os.path.normpath(os.path.join(os.path.dirname(source), link)))
                return found and os.path.relpath(found, os.path.dirname(target) or ".")

            path = self.folder / target
            path.write_text(rendered(path.read_text(encoding="utf-8"), relocated), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: package_pages.py FOLDER SOURCE=TARGET...")
    Package(sys.argv[1], [pair.split("=") for pair in sys.argv[2:]]).render()
