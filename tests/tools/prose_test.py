#!/usr/bin/env python3
"""tools/lint/prose.py finds what each rule forbids, and nothing else. Standard library only."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import prose  # noqa: E402

LONG = "one two three four five six seven eight nine ten " * 3  # 30 words
PAGE = "docs/page" + ".md"  # not a file of this checkout


def found(faults):
    return [(fault.line, fault.text) for fault in faults]


class WordsTest(unittest.TestCase):
    def test_each_word_is_found_wherever_it_is(self):
        text = "// Whoever asks\nint x;  # nobody\nsay(\"Somebody, please\")\n<!-- anybody -->\neverybody anew likewise whomever\n"
        self.assertEqual(sorted(found(prose.word_faults("a.cpp", text))),
                         [(1, "whoever"), (2, "nobody"), (3, "please"), (3, "somebody"), (4, "anybody"), (5, "anew"), (5, "everybody"),
                          (5, "likewise"), (5, "whomever")])

    def test_a_phrase_is_found_over_two_lines_of_a_comment(self):
        for text in ("all at once", "// all at\n  // once", "# all at\n# once", "all at\nonce", " * all at\n * once"):
            self.assertEqual(found(prose.word_faults("a.cpp", text)), [(1, "at once")], text)
        self.assertEqual(found(prose.word_faults("a.cpp", "look at\n\nonce more; at the once")), [])

    def test_parts_of_names_are_not_words(self):
        self.assertEqual(found(prose.word_faults("a.py", "test_that_nobody_waits pleased renewed everybody_")), [])

    def test_every_word_has_its_advice(self):
        self.assertEqual(set(prose.WORDS), {"whoever", "whomever", "nobody", "somebody", "anybody", "everybody", "please", "anew", "likewise",
                                            "at once"})
        [fault] = prose.word_faults("a.hpp", "\n\n// Done likewise.\n")
        self.assertEqual(str(fault), 'a.hpp:3: words: "likewise": write "also" or "the same"')


class SentencesTest(unittest.TestCase):
    def lengths(self, text):
        return [len(prose.words_in(sentence)) for _, block in prose.blocks_of_prose(text) for sentence in prose.sentences_of(block)]

    def test_thirty_words_are_allowed_and_31_are_not(self):
        self.assertEqual(found(prose.sentence_faults("a.md", f"# Title\n\n{LONG.strip()}.\n")), [])
        [fault] = prose.sentence_faults("a.md", f"# Title\n\n{LONG}more.\n")
        self.assertEqual(str(fault), 'a.md:3: sentences: "one two three four five six seven eight …": has 31 words; write at most 30, better 25')

    def test_a_sentence_goes_on_over_lines(self):
        self.assertEqual(found(prose.sentence_faults("a.md", f"Short one.\nText\n{LONG}\nmore\n")), [(1, "Text one two three four five six seven …")])

    def test_where_sentences_end(self):
        self.assertEqual(self.lengths("One two. Three four five? (Six.) seven: eight; nine! *Ten.* Eleven"), [2, 3, 1, 3, 1, 1])
        self.assertEqual(self.lengths("One, e.g. two, i.e. three, port 80.5 and a.b, vs. four."), [11])

    def test_headings_items_and_cells_are_sentences_of_their_own(self):
        self.assertEqual(self.lengths("# One two\nthree\n- four five\n  six\n- seven\n1. eight\n> nine ten\n\n| a b | c |\n|---|---|\n| d | e f g |\n"),
                         [2, 1, 3, 1, 3, 2, 1, 1, 3])

    def test_code_counts_as_one_word_and_a_link_as_its_text(self):
        self.assertEqual(self.lengths("Run `tools/dev docs. Then more` as [the page says](a.md \"x y z\") ![a picture](b.png)."), [8])
        self.assertEqual(self.lengths("Set `--a`, `--b x`, `--c`,\n`--d` and `--e`."), [4])
        self.assertEqual(self.lengths("| `a | b` c | d |\n"), [2, 1])

    def test_blocks_of_code_and_comments_do_not_count(self):
        self.assertEqual(self.lengths("One.\n\n```sh\ntwo three\n```\n<!-- given: four\nfive -->\nSix.\n"), [1, 1])
        self.assertEqual([line for line, _ in prose.blocks_of_prose("<!-- a\nb -->\n\ntext\n")], [4])

    def test_which_pages_are_checked(self):
        for path, count in ((PAGE, 1), ("README.md", 1), ("SECURITY.md", 1), ("docs/notes/" + "page.md", 0), ("CHANGELOG.md", 0),
                            ("edge/README.md", 0), ("docs/a.svg", 0)):
            self.assertEqual(len(list(prose.faults_of_file(path, LONG + "more", ["sentences"]))), count, path)


class MessagesTest(unittest.TestCase):
    def test_an_exclamation_mark_in_a_literal_is_found(self):
        for literal in ('"Stop!"', '"Stop! Or not."', '"arrêtez !"', '"the \\"key\\"!"', 'R"(Stop!)"', 'R"x(Stop!\n)x"', '"Stop!\\n"', '"5 of 5!"'):
            self.assertEqual(len(list(prose.message_faults("a.cpp", f"say({literal});"))), 1, literal)

    def test_operators_and_code_are_no_messages(self):
        for text in ('if (!a && b != c) d(1\'000\'000, "x");', "// Stop!", "/* Stop! */", "'!'", '"a != b"', '"#!/bin/sh"', '"[!a]"', '"<!doctype html>"'):
            self.assertEqual(found(prose.message_faults("a.cpp", text)), [], text)
        self.assertEqual(list(prose.literals_of('a(1\'000, "b", \'"\', "c");\n// "d"\nR"(e"f)"')), [(1, "b"), (1, "c"), (3, 'e"f')])

    def test_which_files_are_checked(self):
        for path, count in (("native/commands/" + "a.cpp", 1), ("core/settings_table.hpp", 1), ("core/api/" + "a.cpp", 0)):
            self.assertEqual(len(list(prose.faults_of_file(path, 'x("Stop!")', ["messages"]))), count, path)


class CommitsTest(unittest.TestCase):
    def advice(self, subject):
        return [fault.advice for fault in prose.subject_faults("0123abc", subject)]

    def test_subjects(self):
        for subject in ("postgres: watch a duplicate of libpq's socket", "core/http: x", "edge, wasm: x", "a: " + 69 * "x"):
            self.assertEqual(self.advice(subject), [], subject)
        self.assertEqual(self.advice("a: " + 70 * "x"), ["has 73 characters; write at most 72"])
        for subject in ("Watch a duplicate", "postgres watch", "postgres:watch", "Postgres: watch", "postgres: ", ": watch"):
            self.assertEqual(self.advice(subject), ["has no area; write `area: summary`"], subject)
        self.assertEqual(len(self.advice(80 * "x")), 2)

    def test_the_log_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".git").mkdir()
            git = root / "git"
            git.write_text('#!/bin/sh\n[ "${8}" = 1234..HEAD ] && printf "%s\\n" "aaaa edge: good one" "bbbb Bad one"\n')
            git.chmod(0o755)
            with mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"):
                self.assertEqual([(fault.path, fault.text) for fault in prose.commit_faults(root, "1234")], [("bbbb", "Bad one")])
                self.assertIsNone(prose.commit_faults(root, "5678"))  # git fails: the history is not here

    def test_without_a_repository_there_is_a_line(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(prose.main(["--root", folder, "commits"]), 0)
        self.assertEqual(printed.getvalue(), "skipped (lint): commit subjects: no repository with its history, or no git\n")


class ExceptionsTest(unittest.TestCase):
    def run_in(self, files, *arguments):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            status = prose.main(["--root", folder, *arguments, "words", "sentences", "messages"])
        return status, printed.getvalue().splitlines()

    def test_a_tree_without_faults_passes(self):
        self.assertEqual(self.run_in({"core/a": "text\n", PAGE: "# Title\n\nText.\n", "b.bin": "\0please"}), (0, []))

    def test_a_fault_of_each_rule_fails(self):
        self.assertEqual(self.run_in({"core/a": "please\n", PAGE: LONG + "more\n", "native/commands/a": 'x("No!");\n'}),
                         (1, ['core/a:1: words: "please": leave it out',
                              PAGE + ':1: sentences: "one two three four five six seven eight …": has 31 words; write at most 30, better 25',
                              'native/commands/a:1: messages: "No!": has an exclamation mark; end the sentence with a full stop']))

    def test_generated_and_foreign_files_are_excluded(self):
        self.assertEqual(self.run_in({name: "please\n" for name in ("build/a", ".git/a", "x/node_modules/a", "LICENSE", "x/package-lock.json",
                                                                    "edge/bindings/a", "docs/contributing/" + "style.md")}), (0, []))

    def test_exceptions(self):
        files = {"core/a": "please\nplease try again later\n", "core/b/c": "anew\n", "edge/a": "nobody\n"}
        for lines, count in (("words core/a: r", 2), ("words core/: r", 1), ("words .: r", 0), ('words core/ "please": r', 2),
                             ('words . "try again": r', 3), ("words core/: r\nwords edge/a: r", 0)):
            status, printed = self.run_in(files | {prose.EXCEPTIONS: f"# comment\n\n{lines}\n"})
            self.assertEqual((status, len(printed)), (1 if count else 0, count), lines)

    def test_an_unused_exception_fails(self):
        self.assertEqual(self.run_in({"core/a": "please\n", prose.EXCEPTIONS: "words core/: r\nsentences core/: r\n"}),
                         (1, [f"{prose.EXCEPTIONS}:2: no fault matches this exception; remove it"]))

    def test_an_exception_without_a_reason_fails(self):
        for line in ("words core/", "words core/:", "words core/: ", "word core/: r"):
            status, printed = self.run_in({prose.EXCEPTIONS: line + "\n"})
            self.assertEqual((status, printed), (1, [f'{prose.EXCEPTIONS}:1: must be: RULE PATH ["TEXT"]: REASON; RULE is one of words, sentences, '
                                                     'messages, commits']), line)

    def test_the_summary_and_the_baseline(self):
        files = {"core/api/x/a": "please please\n", "core/api/b": "anew\n", "README.md": LONG + "more\n"}
        self.assertEqual(self.run_in(files, "--summary"), (0, ["     1 sentences README.md", "     3 words core/api/"]))
        status, lines = self.run_in(files, "--baseline")
        self.assertEqual((status, lines), (0, ["sentences README.md: not rewritten yet", 'words core/api/ "anew": not rewritten yet',
                                               'words core/api/ "please": not rewritten yet']))
        self.assertEqual(self.run_in(files | {prose.EXCEPTIONS: "\n".join(lines)}), (0, []))


if __name__ == "__main__":
    sys.exit(unittest.main())
