"""Counts the test cases in the results of ctest. An entry of ctest may be a program of GoogleTest, of Python's unittest or of node:test,
whose cases are counted from its output; any other entry is one case. Standard library only."""

import collections
import dataclasses
import re
import xml.etree.ElementTree

NO_REASON = "no reason is shown"


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    reasons: list = dataclasses.field(default_factory=list)  # of each skipped case

    def __add__(self, other):
        return Tally(self.passed + other.passed, self.failed + other.failed, self.reasons + other.reasons)

    @property
    def cases(self):
        return self.passed + self.failed + len(self.reasons)


def _sum(pattern, output):
    return sum(int(number) for number in re.findall(pattern, output, re.MULTILINE))


def _reasons(reasons, count):
    """Exactly `count` reasons, one for each skipped case."""
    return (reasons + [NO_REASON] * count)[:count]


def of_googletest(output):
    failed = _sum(r"\[  FAILED  \] (\d+) tests?, listed below", output)
    skipped = _sum(r"\[  SKIPPED \] (\d+) tests?, listed below", output)
    # A skipped case ends with the line of its name and time; the reason is before it.
    reasons = re.findall(r": Skipped\n(.*?)\n+(?:.*\n)*?\[  SKIPPED \] \S+ \(\d+ ms\)", output)
    return Tally(_sum(r"\[  PASSED  \] (\d+) tests?\.", output), failed, _reasons(reasons, skipped))


def of_unittest(output):
    ran, skipped = _sum(r"^Ran (\d+) tests? in ", output), _sum(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)", output)
    # A case may fail in several of its parts.
    failed = len(set(re.findall(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+ \(\S+\))", output, re.MULTILINE)))
    reasons = re.findall(r"\.\.\. skipped ['\"](.*)['\"]$", output, re.MULTILINE)
    return Tally(max(ran - skipped - failed, 0), failed, _reasons(reasons, skipped))


def of_node(output):
    counts = {name: _sum(rf"^(?:#|ℹ) {name} (\d+)$", output) for name in ("pass", "fail", "cancelled", "skipped", "todo")}
    reasons = [reason.strip() or NO_REASON for reason in re.findall(r"# SKIP\b(.*)$", output, re.MULTILINE)]
    return Tally(counts["pass"], counts["fail"] + counts["cancelled"], _reasons(reasons, counts["skipped"] + counts["todo"]))


def of_entry(status, skipped, output):
    """The tally of an entry: its status and whether ctest skipped it, by RESULTS, and its output."""
    tally = of_googletest(output) + of_unittest(output) + of_node(output)
    if status == "fail" and tally.failed == 0:
        tally += Tally(failed=1)
    elif tally.cases == 0:
        lines = output.split("\n")
        reason = next((line.strip() for line in reversed(lines) if line.strip()), NO_REASON)
        tally = Tally(reasons=[reason]) if skipped else Tally(passed=1)
    return tally


# The name of a case: of GoogleTest, of unittest, of node:test.
CASE = re.compile(r"\[ RUN      \] (\S+)$|test\w* \((\w[\w.]*)\)(?: \.\.\..*)?$|\s*(?:not )?ok \d+ - ([^#\n]*[^#\s])")


def names(entry):
    """The names of the cases of an entry."""
    lines = (CASE.match(line) for line in entry.output.split("\n"))
    return {found[found.lastindex] for found in lines if found} or {entry.name}


# The first line of a failure: of GoogleTest, of unittest, of node:test.
FAILURE = re.compile(r"\S+: Failure$|(?:FAIL|ERROR): \S+ \(|\s*not ok \d+ |FAIL ")
MAX_FAILURES, LINES_EACH, MAX_LINE = 4, 24, 400


def failures(output):
    """The lines of the first failures in the output of a failed entry, or its last lines if it shows none."""
    lines = output.rstrip().split("\n")
    starts = [number for number, line in enumerate(lines) if FAILURE.match(line)][:MAX_FAILURES]
    ends = [min(start + LINES_EACH, following) for start, following in zip(starts, starts[1:] + [len(lines)])]
    shown = [line for start, end in zip(starts, ends) for line in lines[start:end]] or lines[-LINES_EACH:]
    return [line[:MAX_LINE] for line in shown]


@dataclasses.dataclass
class Entry:
    name: str
    tally: Tally
    output: str


def read_results(path):
    """The entries in the output of `ctest --output-junit`."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        output, name = case.findtext("system-out") or "", case.get("name").partition("  # GetParam()")[0]
        yield Entry(name, of_entry(case.get("status"), case.find("skipped") is not None, output), output)


def read_rows(text, count):
    """The rows of a list such as tests/skips.txt, each with so many fields."""
    rows = [[field.strip() for field in line.split(" | ")] for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != count or not all(row):
            raise ValueError(f"not {count} fields: {' | '.join(row)}")
    return rows


def report(what, entries, skips):
    """The lines to print: the failures, the skipped cases by reason, and "tests (WHAT): N passed, N failed, N skipped". And whether the run
    is successful: no case failed, at least one was run, and each skip is in `skips`, rows of tests/skips.txt."""
    total, entries_by_reason, lines = Tally(), collections.defaultdict(list), []
    for entry in entries:
        total += entry.tally
        if entry.tally.failed:
            lines += [f"failed ({what}): {entry.name}: {line}" for line in failures(entry.output)]
        for reason in entry.tally.reasons:
            entries_by_reason[reason].append(entry.name)
    is_successful = total.failed == 0 and total.cases > 0
    for reason, names in sorted(entries_by_reason.items()):
        known = all(any(re.fullmatch(entry, name) and re.search(said, reason) for entry, said, _ in skips) for name in names)
        is_successful &= known
        shown = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in collections.Counter(names).items())
        lines.append(f"skipped ({what}){'' if known else ', not on the list of tests/skips.txt'}: {shown}: {reason}")
    if total.cases == 0:
        lines.append("no test was run")
    lines.append(f"tests ({what}): {total.passed} passed, {total.failed} failed, {len(total.reasons)} skipped")
    return lines, is_successful
