#!/usr/bin/env python3
"""run_tests.py [options] PRESET... [-- ARGUMENT...]: runs the tests of these presets one after the other, and counts their cases.

The arguments are passed to ctest. Prints a line for each test when it ends, and the output of a failed one. A failed test that TIMED lists
(tests/timed.txt) runs once more after all others, with nothing beside it: if it passes then, it counts as passed and is printed as flaky.
All failures reject without a second run if one of them is not listed, or if they are more than MAX_FLAKY.

RESULTS/PRESET.xml has ctest's results, RESULTS/PRESET/TEST.log the output of a failed test, RESULTS/PRESET.cases the names of the cases.
Exit status 0 if no case failed, at least one was run and each skip is in SKIPS (tests/skips.txt). Standard library only.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

import count_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_FLAKY = 5

# A line of ctest about a test that ended: its number, how many there are, its name, status and seconds.
ENDED = re.compile(r" *(\d+)/(\d+) Test +#\d+: (.*?) \.+ *(?:\*\*\*)?(.*?) +([\d.]+) sec")
UNIMPORTANT = re.compile(r" +Start +\d+: |Test project |\d+% tests passed|Total Test time|The following tests |\t *\d+ - |Errors while running|$")


class Progress:
    """Prints a line for each test that ends; on a terminal, passed ones are in one status line with the remaining time."""

    def __init__(self):
        self.is_terminal = sys.stdout.isatty()
        self.started = time.monotonic()

    def show(self, line):
        ended = ENDED.match(line)
        if not ended:
            if not UNIMPORTANT.match(line):
                print(line, flush=True)
            return
        number, count, name, status, seconds = ended.groups()
        status = {"Passed": "ok", "Skipped": "skipped"}.get(status, status.upper())
        text = f"[{number:>{len(count)}}/{count}] {float(seconds):.1f} s {name} {status}"
        if self.is_terminal and status in ("ok", "skipped"):
            remaining = (time.monotonic() - self.started) / int(number) * (int(count) - int(number))
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\033[K{f'about {remaining:.0f} s left: {text}'[:width]}", end="\n" if number == count else "", flush=True)
        else:
            print(text, flush=True)


def run_ctest(preset, results, arguments):
    """Runs tests of the preset; writes their results to this file. Returns ctest's exit status."""
    results.unlink(missing_ok=True)
    # The results have the complete output, from which cases are counted. ctest ends with this program, however it ends.
    command = ["setpriv", "--pdeathsig", "TERM", "--", "ctest", "--preset", preset, "--output-junit", results,
               "--test-output-size-passed", "100000000", "--test-output-size-failed", "100000000", *arguments]
    progress = Progress()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            progress.show(line.rstrip("\n"))
    return ctest.returncode


def command_for(preset, name):
    return f"tools/dev test {preset} -R {shlex.quote(f'^{re.escape(name)}$')}"


class Run:
    def __init__(self, options):
        self.options = options
        self.timed = count_tests.read_rows(options.timed.read_text(encoding="utf-8"), 2)
        self.skips = count_tests.read_rows(options.skips.read_text(encoding="utf-8"), 3)
        self.entries = {}  # of each preset
        self.flaky = []  # (preset, name)
        self.is_successful = True

    def run_preset(self, preset):
        results = self.options.results / f"{preset}.xml"
        print(f"tests ({preset}) begin", flush=True)
        shutil.rmtree(self.options.results / preset, ignore_errors=True)
        status = run_ctest(preset, results, ["--parallel", str(os.cpu_count() + 1), *self.options.arguments])
        if not results.exists():  # ctest was only queried
            self.is_successful &= status == 0
            return
        self.entries[preset] = list(count_tests.read_results(results))
        if status != 0 and not any(entry.tally.failed for entry in self.entries[preset]):
            print(f"ctest --preset {preset} ended with exit status {status}")
            self.is_successful = False

    def failed(self):
        return [(preset, entry) for preset, entries in self.entries.items() for entry in entries if entry.tally.failed]

    def retry(self):
        """Runs the failed tests once more, if they may."""
        failed = self.failed()
        self.write_logs(failed)
        fixed = [f"{preset}/{entry.name}" for preset, entry in failed if not self.is_timed(preset, entry.name)]
        if fixed:
            print(f"no test runs again: tests/timed.txt does not list {', '.join(fixed)}")
        elif len(failed) > MAX_FLAKY:
            print(f"no test runs again: {len(failed)} failed, more than {MAX_FLAKY}")
        else:
            for preset, entry in failed:
                self.run_again(preset, entry)

    def is_timed(self, preset, name):
        return any(re.fullmatch(test, f"{preset}/{name}") for test, _ in self.timed)

    def run_again(self, preset, entry):
        results = self.options.results / f"{preset}.again.xml"
        print(f"again, alone: {preset}/{entry.name}", flush=True)
        run_ctest(preset, results, ["--parallel", "1", "--tests-regex", f"^{re.escape(entry.name)}$", "--fixture-exclude-any", "."])
        again = list(count_tests.read_results(results)) if results.exists() else []
        if [(one.name, one.tally.failed) for one in again] == [(entry.name, 0)]:
            self.entries[preset][self.entries[preset].index(entry)] = again[0]
            self.flaky.append((preset, entry.name))
        else:
            self.write_logs([(preset, one) for one in again])

    def write_logs(self, failed):
        for preset, entry in failed:
            log = self.log_of(preset, entry.name)
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(entry.output, encoding="utf-8")

    def log_of(self, preset, name):
        return self.options.results / preset / f"{name.replace('/', '_')}.log"

    def report(self):
        for preset, entries in self.entries.items():
            lines, is_successful = count_tests.report(preset, entries, self.skips)
            cases = set().union(*map(count_tests.names, entries))
            (self.options.results / f"{preset}.cases").write_text("".join(f"{case}\n" for case in sorted(cases)), encoding="utf-8")
            flaky = [name for flaky_preset, name in self.flaky if flaky_preset == preset]
            if flaky:
                lines.insert(-1, f"flaky tests ({preset}): {len(flaky)}: {', '.join(flaky)}")
            print("\n".join(lines))
            self.is_successful &= is_successful
        for preset, entry in self.failed():
            print(f"failed: {preset}/{entry.name}\n  log: {os.path.relpath(self.log_of(preset, entry.name))}\n"
                  f"  again: {command_for(preset, entry.name)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("presets", nargs="+")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/results")
    parser.add_argument("--timed", type=pathlib.Path, default=ROOT / "tests/timed.txt")
    parser.add_argument("--skips", type=pathlib.Path, default=ROOT / "tests/skips.txt")
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:end])
    options.arguments = arguments[end + 1:]
    options.results.mkdir(parents=True, exist_ok=True)
    run = Run(options)
    for preset in options.presets:
        run.run_preset(preset)
    run.retry()
    run.report()
    return 0 if run.is_successful else 1


if __name__ == "__main__":
    sys.exit(main())
