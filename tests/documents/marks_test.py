#!/usr/bin/env python3
"""Every command that a page shows has a mark that defines how it is tested (blocks.py). Standard library only."""

import functools
import re
import shlex
import shutil
import sys
import unittest

import blocks


@functools.cache
def dev_commands():
    """Returns the commands of tools/dev."""
    sources = "".join(path.read_text() for path in [blocks.ROOT / "tools/dev", *(blocks.ROOT / "tools/lib").glob("*.sh")])
    return set(re.findall(r"^command_(\w+)\(\)", sources, re.MULTILINE))


def missing_of(command):
    """Returns the parts of a looked-up command that do not exist."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "portail":
        described = (blocks.ROOT / "docs/reference/commands.md").read_text().partition(f"\n## {arguments[0]}\n")[2].partition("\n## ")[0]
        return [word for word in arguments if word.startswith("--") and f"`{word}`" not in described] if described else arguments[:1]
    if program != "tools/dev":
        return [] if (blocks.ROOT / program).is_file() or shutil.which(program) else [program]
    name, *rest = arguments
    if name not in dev_commands():
        return [name]
    if name != "bench" or not rest:
        return []
    program = "growth" if rest[0] == "growth" else "compare"
    flags = [argument for argument in rest if argument.startswith("--")]
    if not rest[0].startswith("--") and rest[0] not in ("core", "growth", "server", "edge", "node", "spin"):
        return [rest[0]]
    return [flag for flag in flags if f'"{flag}"' not in (blocks.ROOT / f"tools/bench/{program}.py").read_text()]


class MarksTest(unittest.TestCase):
    def test_every_page_follows_the_rule(self):
        run = 0
        for page in blocks.pages():
            with self.subTest(page):
                run += sum(block.is_run for block in blocks.read(page))
        self.assertGreater(run, 30)

    def test_looked_up_commands_exist(self):
        for page in blocks.pages():
            for block in blocks.read(page):
                for command, _ in blocks.commands_of(block) if block.kind == "looked up" else []:
                    with self.subTest(block.where, command=command):
                        self.assertEqual(missing_of(command), [])

    def test_blocks_that_another_page_runs_are_the_same_there(self):
        repeated = [block for page in blocks.pages() for block in blocks.read(page) if block.kind == "same as"]
        for block in repeated:
            with self.subTest(block.where):
                executed = [other for other in blocks.read(block.value) if other.kind in ("run", "walk")]
                self.assertIn((block.language, block.text), [(other.language, other.text) for other in executed])

    def test_each_walk_leads_to_a_bundle_in_six_blocks(self):
        for name in blocks.WALKS:
            with self.subTest(name):
                self.assertIn(blocks.steps_to_answer(blocks.walk_of(name)), range(1, blocks.MAX_STEPS + 1))


class RuleTest(unittest.TestCase):
    def test_marks_are_read(self):
        text = ("<!-- given: touch a -->\n<!-- run: edge; as root; in docs; serves 127.0.0.1:8480 -->\n```sh\necho a\n```\n"
                "<!-- not run: it needs\na cloud -->\n```sh\nkubectl\n```\n```json\n{}\n```\n"
                "- a list\n\n  <!-- file: a.py -->\n  ```python\n  print()\n  ```\n")
        first, second, third, fourth = blocks.blocks_of("page.md", text)
        self.assertEqual((first.kind, first.value, first.folder, first.serves, first.as_root, first.given, first.line),
                         ("run", "edge", "docs", "127.0.0.1:8480", True, "touch a\n", 3))
        self.assertEqual((second.kind, second.value), ("not run", "it needs\na cloud"))
        self.assertEqual((third.kind, third.text), ("", "{}\n"))
        self.assertEqual((fourth.kind, fourth.value, fourth.text), ("file", "a.py", "print()\n"))

    def test_steps_of_walks_are_read(self):
        step, = blocks.blocks_of("page.md", "<!-- walk: c, go; as root; serves 127.0.0.1:8000 -->\n```sh\nserve\n```\n")
        self.assertEqual((step.kind, step.walks, step.as_root, step.serves, step.is_run), ("walk", ["c", "go"], True, "127.0.0.1:8000", False))

    def test_pages_that_break_the_rule_are_faults(self):
        for text in ("<!-- walk: moon -->\n```sh\nls\n```\n", "<!-- walk: c; in docs -->\n```sh\nls\n```\n",
                     "<!-- given: ls -->\n<!-- walk: c -->\n```sh\nls\n```\n",
                     "```sh\nls\n```\n", "text\n\n    ls\n", "```\nls\n```\n", "<!-- run: native -->\ntext\n", "<!-- run: moon -->\n```sh\nls\n```\n",
                     "<!-- run: native; quickly -->\n```sh\nls\n```\n", "<!-- run: native -->\n```python\n1\n```\n", "<!-- not run: -->\n```sh\nls\n```\n",
                     "<!-- file: a -->\n```sh\nls\n```\n", "```sh\nls\n", "- a\n\n      ls\n", "<!-- run: native -->\n"):
            with self.subTest(text), self.assertRaises(blocks.Fault):
                blocks.blocks_of("page.md", text)

    def test_indented_continuation_is_not_a_block(self):
        self.assertEqual(blocks.blocks_of("page.md", "- a list\n\n  and more\n\ntext\n    of one paragraph\n<!-- a comment -->\n"), [])

    def test_commands_and_their_output(self):
        block = blocks.Block("page.md", 1, "console", "$ echo a \\\n    b\na …\n\n$ true\n")
        self.assertEqual(blocks.commands_of(block), [("echo a \\\n    b", ["a …", ""]), ("true", [])])
        self.assertEqual(blocks.commands_of(blocks.Block("page.md", 1, "sh", "# first\nls  # then\n")), [("ls  # then", None)])
        self.assertTrue(blocks.agrees(["a … c", "…", "z"], "a b c\nd\ne\nz\n"))
        self.assertTrue(blocks.agrees(["…"], "") and blocks.agrees([], "") and blocks.agrees(["a"], "a"))
        self.assertFalse(blocks.agrees(["a…"], "b\n") or blocks.agrees(["a"], "a\nb\n") or blocks.agrees(["a.c"], "abc\n") or blocks.agrees([], "a\n"))

    def test_missing_commands_are_reported(self):
        self.assertEqual(missing_of("tools/dev bench node --rounds 3   # a comment"), [])
        self.assertEqual(missing_of("portail check https://portal.example --token - --nothing"), ["--nothing"])
        self.assertEqual(missing_of("portail nothing --token token.txt"), ["nothing"])
        self.assertEqual(missing_of("tools/dev bench core"), [])
        self.assertEqual(missing_of("tools/dev brew"), ["brew"])
        self.assertEqual(missing_of("tools/dev bench beers"), ["beers"])
        self.assertEqual(missing_of("tools/dev bench node --ruonds 3"), ["--ruonds"])
        self.assertEqual(missing_of("tools/none 1"), ["tools/none"])


if __name__ == "__main__":
    sys.exit(unittest.main())
