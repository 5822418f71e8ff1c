#!/usr/bin/env python3
"""site_source.py CHECKOUT INTO: writes the source of the documentation site, for MkDocs, into the directory INTO.

INTO/pages has the pages at their paths in the checkout, so that their links stay as they are. INTO/mkdocs.yml adds the navigation to
tools/docs/mkdocs.yml. A page's directory decides its section, and its first heading is its title. In a section, pages that README.md
links to come first, in the order of these links. Other files that a page links to are copied.

Fails, with a line for each fault, if a page has no section, has not exactly one H1, is not linked from another page, or names a
missing file in HTML. MkDocs checks the links in Markdown. Standard library only.
"""

import json
import os
import pathlib
import re
import shutil
import sys

HOME = "README.md"
# Each section's pages and directories. A linked page that is in none of them, such as fixtures/README.md, belongs to Reference.
SECTIONS = {
    "Tutorials": ["docs/tutorials/"],
    "How-to": ["docs/how-to/"],
    "Reference": ["docs/reference/", "CHANGELOG.md"],
    "Explanation": ["ARCHITECTURE.md", "docs/explanation/", "SECURITY.md"],
    "Contributing": ["CONTRIBUTING.md", "docs/contributing/"],
}
FOR_OTHER_PAGES = "Reference"

FENCE = re.compile(r" *(```+|~~~+)")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?: +\"[^\"]*\")?\)|^ {0,3}\[[^\]]+\]: *<?([^\s>]+)", re.MULTILINE)
HTML_LINK = re.compile(r"<(?:img|a|source|video)\b[^>]*?\b(?:src|href|srcset)=\"([^\"\s]+)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")



def split_fences(text):
    """The text as pairs: whether the part is a fenced block, and its lines."""
    parts, fence = [], None
    for line in text.splitlines():
        found = FENCE.match(line)
        if fence is None and found:
            fence = found[1]
            parts.append((True, [line]))
        elif fence is not None:
            parts[-1][1].append(line)
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = None
                parts.append((False, []))
        else:
            if not parts or parts[-1][0]:
                parts.append((False, []))
            parts[-1][1].append(line)
    return parts


def without_blocks(text):
    """The text without fenced blocks and comments."""
    return COMMENT.sub("", "\n".join("" if fenced else "\n".join(lines) for fenced, lines in split_fences(text)))


def targets(text):
    """The targets of links in Markdown, and those in HTML, without anchors; those of other servers are left out."""
    prose = CODE_SPAN.sub("", without_blocks(text))
    markdown = [first or second for first, second in LINK.findall(prose)]
    return local(markdown), local(HTML_LINK.findall(prose))


def local(links):
    return [link.partition("#")[0] for link in links if link.partition("#")[0] and not re.match(r"[a-z][a-z0-9+.-]*:|/", link)]


def without_comments(text):
    """The text without the comments outside fenced blocks, among them the marks of tests/documents/blocks.py."""
    fences, numbered = [], []
    for fenced, lines in split_fences(text):
        if fenced:
            numbered.append(f"\0{len(fences)}\0")
            fences.append("\n".join(lines))
        else:
            numbered.extend(lines)
    text = COMMENT.sub("", "\n".join(numbered))
    return re.sub("\0(\\d+)\0", lambda found: fences[int(found[1])], text) + "\n"


def with_wide_lists(text):
    """The text as Python-Markdown requires it: the content of list items is indented by four spaces a level, and an empty line is
    before a list and before an item that follows an item of several paragraphs."""
    result, levels, fence = [], [], None  # levels: the column at which the content of each enclosing item begins
    several = False  # whether the item has an empty line
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if fence is not None:
            mark, column = fence
            result.append(" " * 4 * len(levels) + line[min(indent, column):] if line.strip() else "")
            if line.strip().startswith(mark) and not line.strip().strip(mark[0]):
                fence = None
            continue
        if not line.strip():
            result.append("")
            several = True
            continue
        previous = result[-1] if result else ""
        item = ITEM.match(line)
        if item and previous.strip() and not levels and item[2][:-1].isdigit() and int(item[2][:-1]) != 1:
            item = None  # a wrapped line that begins with a number
        continues = previous.strip() and not item
        while levels and indent < levels[-1] and not (continues and indent == 0 and not FENCE.match(line) and line[0] not in "#|>"):
            levels.pop()
        if item:
            begins = not levels and not previous.startswith(" ") and not ITEM.match(previous)
            if previous.strip() and (begins or several):
                result.append("")
            several = False
            result.append(" " * 4 * len(levels) + line[indent:])
            levels.append(item.end())
            continue
        column = levels[-1] if levels else 0
        result.append(" " * 4 * len(levels) + line[min(indent, column):])
        if found := FENCE.match(line):
            fence = found[1], indent
            result[-1] = " " * 4 * len(levels) + line.lstrip(" ")
    return "\n".join(result) + "\n"


def with_plain_tables(text):
    """The text with tables as Python-Markdown reads them: `\\|` in code is `|`, and a heading without text has a space."""
    parts = []
    for fenced, lines in split_fences(text):
        parts.extend(lines if fenced else map(table_row, lines))
    return "\n".join(parts) + "\n"


def table_row(line):
    if re.fullmatch(r" *\|( *\|)+ *", line):
        return line.replace("|", "| &nbsp;", 1)
    return CODE_SPAN.sub(lambda code: code[0].replace("\\|", "|"), line) if line.lstrip().startswith("|") else line


def for_site(text):
    return with_plain_tables(with_wide_lists(without_comments(text)))


def section_of(page):
    for section, paths in SECTIONS.items():
        if any(page == path or (path.endswith("/") and page.startswith(path)) for path in paths):
            return section
    return None if page.startswith("docs/") else FOR_OTHER_PAGES


class Site:
    def __init__(self, checkout):
        self.checkout = pathlib.Path(checkout).resolve()
        self.pages = {}  # path from the checkout: text
        self.files = set()
        self.linked = {}  # page: the pages and files that it links to, in their order
        self.faults = []
        for page in self.own_pages():
            self.add(page)
        self.check()

    def own_pages(self):
        names = [HOME] + [path for paths in SECTIONS.values() for path in paths if not path.endswith("/")]
        found = [path.relative_to(self.checkout).as_posix() for path in (self.checkout / "docs").rglob("*.md")]
        return [name for name in names if (self.checkout / name).is_file()] + sorted(found)

    def add(self, page):
        if page in self.pages:
            return
        text = (self.checkout / page).read_text(encoding="utf-8")
        self.pages[page] = text
        markdown, html = targets(text)
        self.linked[page] = []
        for link in markdown + html:
            name = os.path.normpath(os.path.join(os.path.dirname(page), link))
            path = self.checkout / name
            if name.startswith("..") or not path.is_file():
                # MkDocs reports those in Markdown, but not a directory's.
                if link in html or path.is_dir():
                    self.faults.append(f"{page}: {link} is not a file of this checkout; link to a page or a file")
                continue
            self.linked[page].append(name)
            if path.suffix == ".md":
                self.add(name)
            else:
                self.files.add(name)

    def check(self):
        reached = {name for page, names in self.linked.items() for name in names if name != page}
        for page, text in sorted(self.pages.items()):
            if section_of(page) is None:
                directories = ", ".join(path for paths in SECTIONS.values() for path in paths if path.endswith("/"))
                self.faults.append(f"{page}: is in no section of the site; move it to one of {directories}")
            headings = len(re.findall(r"^# \S", without_blocks(text), re.MULTILINE))
            if headings != 1:
                self.faults.append(f"{page}: has {headings} H1 headings; a page must have exactly one, its title")
            if page.startswith("docs/") and page not in reached:
                self.faults.append(f"{page}: no other page links to it; link to it from the page of its subject or from {HOME}")

    def navigation(self):
        sections = {section: [] for section in SECTIONS}
        order = {page: number for number, page in reversed(list(enumerate(self.linked.get(HOME, []))))}
        for page in sorted(self.pages, key=lambda page: (order.get(page, len(order) + 1000), page)):
            if page != HOME and section_of(page):
                sections[section_of(page)].append(page)
        return [HOME] + [{section: pages} for section, pages in sections.items() if pages]

    def write(self, into):
        into = pathlib.Path(into)
        shutil.rmtree(into, ignore_errors=True)
        for name in [*self.pages, *self.files]:
            (into / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        for name, text in self.pages.items():
            (into / "pages" / name).write_text(for_site(text), encoding="utf-8")
        for name in self.files:
            shutil.copyfile(self.checkout / name, into / "pages" / name)
        base = os.path.relpath(self.checkout / "tools/docs/mkdocs.yml", into.resolve())
        settings = {"INHERIT": base, "docs_dir": "pages", "nav": self.navigation()}
        (into / "mkdocs.yml").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def main(checkout, into):
    site = Site(checkout)
    for fault in site.faults:
        print(fault, file=sys.stderr)
    if site.faults:
        return 1
    site.write(into)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: site_source.py CHECKOUT INTO")
    sys.exit(main(*sys.argv[1:]))
