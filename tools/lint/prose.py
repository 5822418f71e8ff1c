#!/usr/bin/env python3
"""prose.py [--summary | --baseline] [--root DIRECTORY] [RULE...]: checks the words of this project against its style guide.

Rules:
  words      a word that the guide forbids, in any text file: documents, comments, messages, names
  sentences  a sentence of more than 30 words, in the pages of PAGES
  messages   an exclamation mark in a message, in a string literal of the files of MESSAGES
  commits    a commit subject of more than 72 characters, or without `area: `, after FIRST_COMMIT; merges are left out

Prints a line for each fault, and fails if there is one. Exceptions are in prose_exceptions.txt beside this file, each with its reason;
one that matches no fault is a fault. --summary prints the number of faults for each rule and directory, those of exceptions included.
--baseline prints exceptions for the faults that have none yet. Standard library only, and git for the commits.
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = "tools/lint/prose_exceptions.txt"

RULES = ("words", "sentences", "messages", "commits")
NOT_YET = "not rewritten yet"

# Word or phrase (case is ignored): what to write instead.
ROLE = "name the role: user, operator, client, caller, peer, writer, process"
WORDS = {
    "whoever": ROLE,
    "whomever": ROLE,
    "nobody": f"{ROLE}; or write what is absent",
    "somebody": ROLE,
    "anybody": ROLE,
    "everybody": ROLE,
    "please": "leave it out",
    "anew": 'write "again"',
    "likewise": 'write "also" or "the same"',
    "at once": 'write "immediately" or "concurrently"',
}

MAX_WORDS = 30
PAGES = ("docs/", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")
PAGES_LEFT_OUT = ("docs/notes/",)

MESSAGES = ("native/commands/", "core/settings_table.hpp")

FIRST_COMMIT = "d12faf123fdb513479636ad5af3296ef8463e981"  # the rule applies to the commits after this one
MAX_SUBJECT = 72

MADE = {"build", ".root", ".portail", ".git", "node_modules", "__pycache__", "bindings", "corpus"}  # not written by hand
QUOTES_WORDS = re.compile(r"tools/lint/prose_exceptions\.txt|docs/contributing/style\.md")  # the exceptions and the guide itself
NOT_OWN = re.compile(r"(^|/)(LICENSE|package-lock\.json|Cargo\.lock|go\.sum|[^/]*\.(svg|jsonl))$")

CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^)]*\)")
SPANS = re.compile(r"`[^` ]*`(?:, `[^` ]*`)+")  # an enumeration of names
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”»')\]*_]*\s+")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|cf|vs|etc|approx)\.", re.IGNORECASE)
C_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|R\"([^()\\ \n]*)\((.*?)\)\1\"|\"((?:\\.|[^\"\\\n])*)\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)
EXCLAMATION = re.compile(r"[\w)\]»”'\"] ?!+(?=$|[\s)\"'»”]|\\n)")
SUBJECT = re.compile(r"[a-z0-9][\w./, -]*: \S")


@dataclasses.dataclass(frozen=True)
class Fault:
    rule: str
    path: str  # from the root; of a commit its hash
    line: int  # 0 if there is none
    text: str  # what is wrong, as it is written there
    advice: str
    context: str = ""  # the line or the sentence that has it

    def __str__(self):
        location = f"{self.path}:{self.line}" if self.line else self.path
        return f"{location}: {self.rule}: \"{self.text}\": {self.advice}"


@dataclasses.dataclass
class Exemption:
    """An exception: RULE PATH ["TEXT"]: REASON."""
    rule: str
    path: str
    text: str
    reason: str
    line: int
    uses: int = 0

    def covers(self, fault):
        inside = fault.path == self.path or self.path == "." or (self.path.endswith("/") and fault.path.startswith(self.path))
        return self.rule == fault.rule and inside and self.text.lower() in (fault.context or fault.text).lower()


def word_faults(path, text):
    for pattern, matcher in MATCHERS.items():
        for found in matcher.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1:].split("\n", 1)[0]
            yield Fault("words", path, text.count("\n", 0, found.start()) + 1, pattern, WORDS[pattern], f"{line} {pattern}")


# The words of a phrase may be on two lines of a comment.
MATCHERS = {pattern: re.compile(rf"\b{pattern}\b".replace(" ", r"(?: +| *\n *(?://+|#+|\*)? *)"), re.IGNORECASE) for pattern in WORDS}


def blocks_of_prose(text):
    """(line, text) of each paragraph, heading, list item and cell of a table; without code and comments."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    block, begins, fence = [], 0, None
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = re.sub(r"^\s*(?:>\s?)*", "", line)
        mark = re.match(r"(```+|~~~+)", stripped)
        ends = not stripped or mark or fence or re.match(r"(#+ |\||[-*+] |\d+[.)] )", stripped)
        if ends and block:
            yield begins, " ".join(block)
            block = []
        if fence:
            fence = None if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif stripped.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", CODE_SPAN.sub(lambda span: span[0].replace("|", "¦"), stripped)):
                if re.search(r"\w", cell):
                    yield number, cell.strip()
        elif stripped.startswith("#"):
            yield number, stripped.lstrip("# ")
        elif stripped:
            if not block:
                begins = number
            block.append(re.sub(r"^([-*+]|\d+[.)]) ", "", stripped))


def sentences_of(block):
    """The sentences of a block. A span of code is one word, as is an enumeration of spans, and of a link only its text counts."""
    text = CODE_SPAN.sub(lambda span: "`" + re.sub(r"[\s`]", "\ue000", span[2].strip()) + "`", block)
    text = LINK.sub(r"\1", text)
    text = SPANS.sub(lambda spans: spans[0].replace(", ", ",\ue000"), text)
    text = re.sub(r"<[^>`]*>", " ", text)
    text = ABBREVIATION.sub(lambda found: found[1].replace(".", ""), text)
    return [sentence.strip() for sentence in SENTENCE_END.split(text) if sentence.strip()]


def words_in(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def sentence_faults(path, text):
    for line, block in blocks_of_prose(text):
        for sentence in sentences_of(block):
            words = words_in(sentence)
            if len(words) > MAX_WORDS:
                yield Fault("sentences", path, line, " ".join(words[:8]).replace("\ue000", " ") + " …",
                            f"has {len(words)} words; write at most {MAX_WORDS}, better 25", " ".join(words).replace("\ue000", " "))


def literals_of(text):
    """(line, content) of each string literal of C++."""
    for found in C_TOKEN.finditer(text):
        content = found[3] if found[3] is not None else found[2]
        if content is not None:
            yield text.count("\n", 0, found.start()) + 1, content


def message_faults(path, text):
    for line, content in literals_of(text):
        for found in EXCLAMATION.finditer(content):
            shown = content[max(0, found.start() - 30):found.end()]
            yield Fault("messages", path, line, shown, "has an exclamation mark; end the sentence with a full stop", content)


def subject_faults(commit, subject):
    if len(subject) > MAX_SUBJECT:
        yield Fault("commits", commit, 0, subject, f"has {len(subject)} characters; write at most {MAX_SUBJECT}")
    if not SUBJECT.match(subject):
        yield Fault("commits", commit, 0, subject, "has no area; write `area: summary`")


def commit_faults(root, first=FIRST_COMMIT):
    """The faults of the commits after that one, or None if they cannot be read here."""
    subjects = subjects_since(root, first)
    return None if subjects is None else [fault for commit, subject in subjects for fault in subject_faults(commit, subject)]


def subjects_since(root, first):
    """(commit, subject) of each commit after that one; merges are left out. None without a repository that has it."""
    if not (pathlib.Path(root) / ".git").exists():
        return None
    # The checkout may belong to another user, as in a private root.
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "log", "--no-merges", "--format=%h %s", f"{first}..HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return None if done.returncode else [tuple(line.split(" ", 1)) for line in done.stdout.splitlines()]


def own_texts(root):
    """(path from the root, text) of each text file."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - MADE)
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            shown = path.relative_to(root).as_posix()
            if NOT_OWN.search(shown) or path.is_symlink() or not path.is_file():
                continue
            content = path.read_bytes()
            if b"\0" in content:
                continue
            yield shown, content.decode("utf-8", "replace")


def is_in(path, patterns):
    return any(path == pattern or (pattern.endswith("/") and path.startswith(pattern)) for pattern in patterns)


def faults_of_file(path, text, rules):
    if "words" in rules and not QUOTES_WORDS.fullmatch(path):
        yield from word_faults(path, text)
    if "sentences" in rules and path.endswith(".md") and is_in(path, PAGES) and not is_in(path, PAGES_LEFT_OUT):
        yield from sentence_faults(path, text)
    if "messages" in rules and is_in(path, MESSAGES):
        yield from message_faults(path, text)


def read_exceptions(text):
    """The exceptions; a line that is none is a ValueError."""
    exceptions = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        found = re.fullmatch(r'(\w+) +(\S+?)(?: +"([^"]*)")?: +(\S.*)', line)
        if not found or found[1] not in RULES:
            raise ValueError(f'{EXCEPTIONS}:{number}: must be: RULE PATH ["TEXT"]: REASON; RULE is one of {", ".join(RULES)}')
        exceptions.append(Exemption(found[1], found[2], found[3] or "", found[4], number))
    return exceptions


def without_exceptions(faults, exceptions):
    left = []
    for fault in faults:
        covering = [exception for exception in exceptions if exception.covers(fault)]
        for exception in covering:
            exception.uses += 1
        if not covering:
            left.append(fault)
    return left


def summary(faults):
    """A line for each rule and directory of two levels, with the number of faults."""
    counts = collections.Counter((fault.rule, directory_of(fault.path)) for fault in faults)
    return [f"{count:6} {rule} {path}" for (rule, path), count in sorted(counts.items())]


def directory_of(path):
    """The two upper levels of its directory; the file itself if it has none."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:2]) + "/" if parts else path


def baseline(faults):
    """Exceptions for these faults: of a word in each directory, and of the other rules in each file."""
    covered = {(fault.rule, directory_of(fault.path), f' "{fault.text}"') if fault.rule == "words" else (fault.rule, fault.path, "")
               for fault in faults}
    return [f"{rule} {path}{text}: {NOT_YET}" for rule, path, text in sorted(covered)]


def main(arguments):
    parser = argparse.ArgumentParser(description="Checks the words of this project against its style guide.")
    parser.add_argument("--summary", action="store_true", help="print the number of faults for each rule and directory")
    parser.add_argument("--baseline", action="store_true", help="print exceptions for the faults that have none yet")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, metavar="DIRECTORY", help="default: this checkout")
    parser.add_argument("rules", nargs="*", metavar="RULE", help=", ".join(RULES) + "; default: all")
    given = parser.parse_args(arguments)
    if unknown := set(given.rules) - set(RULES):
        parser.error(f"unknown rule {', '.join(sorted(unknown))}; the rules are {', '.join(RULES)}")
    rules = given.rules or RULES

    faults = [fault for path, text in own_texts(given.root) for fault in faults_of_file(path, text, rules)]
    if "commits" in rules:
        of_commits = commit_faults(given.root)
        if of_commits is None:
            print("skipped (lint): commit subjects: no repository with its history, or no git")
            rules = [rule for rule in rules if rule != "commits"]
        else:
            faults += of_commits
    if given.summary:
        print("\n".join(summary(faults)))
        return 0

    file = given.root / EXCEPTIONS
    try:
        exceptions = read_exceptions(file.read_text(encoding="utf-8") if file.exists() else "")
    except ValueError as error:
        print(error)
        return 1
    left = without_exceptions(faults, exceptions)
    if given.baseline:
        print("\n".join(baseline(left)))
        return 0
    for fault in left:
        print(fault)
    unused = [exception for exception in exceptions if exception.rule in rules and not exception.uses]
    for exception in unused:
        print(f"{EXCEPTIONS}:{exception.line}: no fault matches this exception; remove it")
    return 1 if left or unused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
