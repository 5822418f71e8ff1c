"""The code blocks of a page, and the marks above them, which define how each is tested (CONTRIBUTING.md, "What a document shows").
Standard library only.

A mark is an HTML comment that ends on the line above the block:

    <!-- run: native -->                          run unchanged, in the checkout of that target (commands_test.py)
    <!-- run: wasm; in wasm/examples/node -->     in that directory of the checkout
    <!-- run: edge; serves 127.0.0.1:8480 -->     its last command serves there, while the blocks below are run
    <!-- run: edge; needs TEST_SPIN -->        skipped unless this variable names a program, whose directory is put before PATH
    <!-- run: native; as root -->                 as an operator installs; nothing reaches the machine itself
    <!-- walk: python-wsgi -->                    a step from a package to an answer, run by tests/packaging/walks_test.py; also with
                                                  several names (python-wsgi, python-asgi), and with `serves`, `needs` and `as root`
    <!-- file: request.py -->                     not a command: a file of that name, which a block below uses
    <!-- same as: wasm/abi/README.md -->          not run: that page has the same block, and runs it
    <!-- looked up: REASON -->                    not run; but its commands exist, with their first arguments and flags
    <!-- not run: REASON -->                      counted as skipped, with that reason

and above a mark there may be `<!-- given: COMMANDS -->`: commands that the page omits.
They run before the block, in the top directory of the checkout.
"""

import dataclasses
import pathlib
import re

from citations_test import own_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = {"sh", "console", "fish"}  # the languages of blocks that need a mark
TARGETS = {"native", "edge", "wasm"}
WALKS = ("npm", "express", "fastify", "python-wsgi", "python-asgi", "go", "java", "c", "cpp", "cpp-httplib", "wasmtime", "spin", "fastly", "debian")

BUNDLE = '\n{"id":"L-2024-0002"'  # the answer to which a walk leads
MAX_STEPS = 6  # blocks of a walk to this answer

FENCE = re.compile(r"( *)```(.*)$")
COMMENT = re.compile(r" *<!--\s*(.*?)\s*-->\s*", re.DOTALL)
MARK = re.compile(r"(run|walk|file|same as|looked up|not run|given): *(.*)", re.DOTALL)


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    kind: str = ""  # run, walk, file, same as, looked up, not run; or nothing
    value: str = ""  # of `run` the target, of `walk` the names, of `file` the file name, of `same as` the page, otherwise the reason
    given: str = ""
    folder: str = "."
    serves: str = ""
    as_root: bool = False
    needs: str = ""

    @property
    def where(self):
        return f"{self.page}:{self.line}"

    @property
    def is_run(self):
        return self.kind == "run"

    @property
    def walks(self):
        """Returns the names of the walks that the block is a step of."""
        return self.value.split(", ") if self.kind == "walk" else []


class Fault(ValueError):
    """A page breaks the rule; the message has the page and the line."""


def pages():
    """Returns the paths of all pages, from the root."""
    return sorted(str(path.relative_to(ROOT)) for path in own_files() if path.suffix == ".md")


def read(page):
    return blocks_of(page, (ROOT / page).read_text(encoding="utf-8"))


def blocks_of(page, text):
    """Returns the blocks of a page in order. Raises Fault if a block is indented instead of fenced, or lacks its mark."""
    lines = text.splitlines()
    blocks, marks, at = [], [], 0
    while at < len(lines):
        line = lines[at]
        if (comment := _comment(lines, at)) is not None:
            body, at = comment
            if found := MARK.fullmatch(body):
                marks.append((found[1], found[2]))
            continue
        if fence := FENCE.match(line):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].strip() == "```"), None)
            if end is None:
                raise Fault(f"{page}:{at + 1}: a block without its end")
            inside = "".join(inner.removeprefix(fence[1]) + "\n" for inner in lines[at + 1:end])
            blocks.append(_marked(Block(page, at + 1, fence[2].strip(), inside), marks))
            marks, at = [], end + 1
            continue
        if marks:
            raise Fault(f"{page}:{at + 1}: a mark without a block below it")
        if line.startswith("    ") and (at == 0 or not lines[at - 1].strip()) and not _in_list(lines, at):
            raise Fault(f"{page}:{at + 1}: an indented block: fence it (```sh), and mark it")
        at += 1
    if marks:
        raise Fault(f"{page}: a mark without a block below it")
    return blocks


def _comment(lines, at):
    """Returns the text of the comment that begins on this line, and the line after it; None if there is no comment."""
    if not lines[at].lstrip().startswith("<!--"):
        return None
    for end in range(at, len(lines)):
        if "-->" in lines[end]:
            found = COMMENT.fullmatch("\n".join(lines[at:end + 1]))
            return (found[1], end + 1) if found else None
    return None


def _in_list(lines, at):
    """Returns whether the line continues a list item, by its indent."""
    for line in reversed(lines[:at]):
        if re.match(r" *([-*]|\d+\.) ", line):
            return len(lines[at]) - len(lines[at].lstrip()) < len(line) - len(line.lstrip()) + 6
        if line and not line.startswith(" "):
            return False
    return False


def _marked(block, marks):
    for kind, value in marks:
        if kind == "given":
            block.given = value + "\n"
        elif block.kind:
            raise Fault(f"{block.where}: two marks")
        else:
            block.kind, block.value = kind, value
    if not block.language:
        raise Fault(f"{block.where}: a block without a language (text, where it is none)")
    if block.language in COMMANDS and block.kind in ("", "file"):
        raise Fault(f"{block.where}: commands without a mark that says how they are run, or why not")
    if block.kind != "" and not block.value:
        raise Fault(f"{block.where}: a mark that says nothing")
    if block.kind in ("run", "walk"):
        _read_run(block)
        commands_of(block)
    return block


def _read_run(block):
    if block.language not in COMMANDS:
        raise Fault(f"{block.where}: what is run is sh, console or fish; other files are `file`")
    block.value, *options = (part.strip() for part in block.value.split(";"))
    known = TARGETS if block.is_run else WALKS
    for name in [block.value] if block.is_run else block.walks:
        if name not in known:
            raise Fault(f"{block.where}: unknown target: {name}; must be one of ({', '.join(sorted(known))})")
    if not block.is_run and block.given:
        raise Fault(f"{block.where}: a walk is executed as it is shown, without `given`")
    for option in options:
        what, _, value = option.partition(" ")
        if option == "as root":
            block.as_root = True
        elif what == "in" and block.is_run:
            block.folder = value
        elif what == "needs" and re.fullmatch(r"TEST_\w+", value):
            block.needs = value
        elif what == "serves" and re.fullmatch(r"[\d.]+:\d+", value):
            block.serves = value
        else:
            raise Fault(f"{block.where}: not understood: {option}")


def walk_of(name):
    """Returns the blocks of a walk in order: those of its mark, and the files that are above the next such block of the page."""
    steps, files = [], []
    for block in (block for page in pages() for block in read(page)):
        if block.kind == "file":
            files.append(block)
        elif block.kind == "walk":
            if name in block.walks:
                steps += [*(file for file in files if file.page == block.page), block]
            files = []
    if len({block.page for block in steps}) > 1:
        raise Fault(f"{steps[-1].where}: the walk {name} has blocks of two pages")
    return steps


def steps_to_answer(walk):
    """Returns the number of blocks of a walk to the first that shows a bundle; 0 if none does."""
    return next((number for number, block in enumerate(walk, 1) if block.language == "console" and BUNDLE in block.text), 0)


def commands_of(block):
    """Returns the commands of a block in order, without comments, as (command, expected lines; None if the block has none)."""
    commands, unfinished = [], False
    for line in block.text.splitlines():
        if unfinished:
            commands[-1] = (f"{commands[-1][0]}\n{line}", commands[-1][1])
        elif block.language != "console":
            if line.strip() and not line.lstrip().startswith("#"):
                commands.append((line, None))
        elif line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
            continue
        else:
            raise Fault(f"{block.where}: output before the first command ($ …)")
        unfinished = line.endswith("\\")
    return commands


def agrees(expected, output):
    """Returns whether lines match the expected ones. … matches any text; alone on a line it matches any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n" for line in expected)
    return re.fullmatch(pattern, output if not output or output.endswith("\n") else output + "\n") is not None
