#!/usr/bin/env python3
"""Compares the texts in the source with messages.txt; `--write` updates that file. Standard library only.

A message is a string literal of at least two words, with the literals that follow it immediately: help, errors, log events and their
details, metrics' help, problem details, and the page's texts. The file groups them by source file, so that a change to a text shows in
a diff and all of them can be reviewed in one reading.
"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = pathlib.Path(__file__).resolve().parent / "messages.txt"
SOURCES = ["core/**/*.cpp", "core/**/*.hpp", "native/**/*.cpp", "native/**/*.hpp", "edge/**/*.cpp", "edge/**/*.hpp", "wasm/**/*.cpp",
           "wasm/package/src/**/*.ts", "core/page/source/**/*.ts", "core/page/source/**/*.tsx"]
LEFT_OUT = re.compile(r"^edge/bindings/|/node_modules/")

TOKEN = re.compile(r'''
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"
  | "(?P<text>(?:\\.|[^"\\\n])*)"
  | `(?P<template>(?:\\.|[^`\\])*)`
  | (?P<character>'(?:\\.|[^'\\\n])*')
  | (?P<space>\s+)
  | (?P<other>.)
''', re.VERBOSE | re.DOTALL)
WORDS = re.compile(r"[^\W\d_]{2,}[,;:.)]* +\S*[^\W\d_]{2,}")
STATEMENT = re.compile(r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN|WITH|PRAGMA|DROP|ALTER|LOCK|SET|ON CONFLICT|FROM|WHERE|VALUES)\b")
MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+;")


def is_message(text):
    return WORDS.search(text) is not None and not STATEMENT.match(text) and not MEDIA_TYPE.match(text)


def literals(source):
    """The texts of the source, in order; those with nothing but white space or comments between them are one."""
    texts, joined = [], None
    for token in TOKEN.finditer(source):
        kind = token.lastgroup
        if kind in ("space", "comment"):
            continue
        text = token["text"] if token["text"] is not None else token["raw"] if token["raw"] is not None else token["template"]
        if text is None and token["character"] is not None and len(token["character"]) > 3:
            text = token["character"][1:-1]
        if text is None:
            if joined is not None:
                texts.append(joined)
            joined = None
        else:
            joined = text if joined is None else joined + text
    return texts + ([] if joined is None else [joined])


def messages():
    lines = []
    for path in sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)}):
        name = path.relative_to(ROOT).as_posix()
        found = [] if LEFT_OUT.search(name) else [text for text in literals(path.read_text(encoding="utf-8")) if is_message(text)]
        if found:
            lines += [f"== {name}", *(text.replace("\n", "\\n") for text in found), ""]
    return "\n".join(lines)


class MessagesTest(unittest.TestCase):
    maxDiff = None

    def test_the_file_has_the_messages_of_the_source(self):
        self.assertEqual(GOLDEN.read_text(encoding="utf-8"), messages(), "tests/golden/messages_test.py --write updates the file")

    def test_literals_are_found(self):
        self.assertEqual(literals('f("a b" /* "no" */ "c d", x); // "no"\n'), ["a bc d"])
        self.assertEqual(literals('auto t = R"(say "it" now)";'), ['say "it" now'])
        self.assertEqual(literals("const c = '\"'; g('one two', `a ${b} c`);"), ["one two", "a ${b} c"])
        self.assertEqual(literals(r'"a \"quoted\" word"'), [r'a \"quoted\" word'])

    def test_messages_are_distinguished_from_other_literals(self):
        for text in ("no key set", "store: a read failed", " must be a file", "Période d'un mois"):
            self.assertTrue(is_message(text), text)
        for text in ("GET", "core/base", "application/json; charset=utf-8", "SELECT key FROM portail", "a b", ""):
            self.assertFalse(is_message(text), text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        GOLDEN.write_text(messages(), encoding="utf-8")
    else:
        unittest.main()
