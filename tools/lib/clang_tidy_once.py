#!/usr/bin/env python3
"""Runs clang-tidy on one file, for run-clang-tidy, unless a run on the same input found nothing. The input is the file, all its includes,
the configuration and the command. The directory TEST_LINT_CACHE has an empty file, named by a hash, for each such input; if the
variable is unset, clang-tidy always runs.

`--evict DAYS DIRECTORY` removes entries that were not used for so many days."""

import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

CLANG_TIDY = "clang-tidy-19"
CLANG = "clang++-19"


def command_of(source, database):
    """The words of the compile command of the source, and its directory; None if the database lacks it."""
    with open(os.path.join(database, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            if os.path.join(entry["directory"], entry["file"]) == source:
                return shlex.split(entry["command"]), entry["directory"]
    return None


def dependencies_of(words, folder, extra):
    """The source and its includes; None if clang fails."""
    arguments = [word for i, word in enumerate(words[1:], 1) if word not in ("-c", "-o") and words[i - 1] != "-o"]
    done = subprocess.run([CLANG, *arguments, *extra, "-w", "-M", "-MT", "all"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    return sorted(shlex.split(done.stdout.replace("\\\n", " "))[1:])


def fingerprint(arguments):
    """The hash of the input of clang-tidy; None if it cannot be determined."""
    database = next((word[3:] for word in arguments if word.startswith("-p=")), None)
    found = command_of(arguments[-1], database) if database else None
    if not found:
        return None
    words, folder = found
    read = dependencies_of(words, folder, [word.removeprefix("-extra-arg=") for word in arguments if word.startswith("-extra-arg=")])
    if not read:
        return None
    read += [str(parent / ".clang-tidy") for parent in pathlib.Path(arguments[-1]).parents if (parent / ".clang-tidy").exists()]
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    digest = hashlib.sha256(version + "\0".join(arguments + words).encode())
    for name in read:
        content = pathlib.Path(folder, name).read_bytes()
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def main(arguments):
    if arguments[:1] == ["--evict"]:
        oldest = time.time() - float(arguments[1]) * 24 * 60 * 60
        for file in pathlib.Path(arguments[2]).iterdir():
            if file.stat().st_mtime < oldest:
                file.unlink()
        return 0
    cache = os.environ.get("TEST_LINT_CACHE")
    name = fingerprint(arguments) if cache else None
    clean = pathlib.Path(cache, name) if name else None
    if clean and clean.exists():
        clean.touch()
        return 0
    done = subprocess.run([CLANG_TIDY, *arguments], stdout=subprocess.PIPE)
    sys.stdout.buffer.write(done.stdout)
    if clean and done.returncode == 0 and not done.stdout:
        clean.touch()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
