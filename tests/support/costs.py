#!/usr/bin/env python3
"""The recorded costs (tests/costs.json), and what a change may add to each without a new record. Less is no failure.

costs.py RESULTS MODULE...: records the allocations that unit_api wrote to RESULTS (GoogleTest's JSON), and the sizes of the modules and
components, of those that have a row. `tools/dev costs --write` records all costs. Python's standard library only.
"""

import json
import pathlib
import sys

COSTS = pathlib.Path(__file__).resolve().parents[1] / "costs.json"
MORE_CALLS = 2  # of the host by a request; tests/unit/api/allocations_test.cpp accepts as many allocations
MORE_FUEL = 1.05
MORE_SIZE = 1.02


def recorded(kind):
    return json.loads(COSTS.read_text())[kind]


def record(kind, costs):
    """Replaces the costs of this kind."""
    COSTS.write_text(text_of(json.loads(COSTS.read_text()) | {kind: costs}) + "\n")


def text_of(value, indent=""):
    """JSON with one line for each member of an object."""
    if not isinstance(value, dict):
        return json.dumps(value)
    below = indent + "  "
    return "{\n" + ",\n".join(f"{below}{json.dumps(name)}: {text_of(member, below)}" for name, member in value.items()) + f"\n{indent}}}"


def excess_size(name, size, ceiling):
    """What is wrong with this size in bytes of a module or component, or None."""
    maximum = min(ceiling, round(recorded("sizes")[name] * MORE_SIZE))
    return f"has {size} bytes, at most {maximum}: see `tools/dev costs`" if size > maximum else None


def main():
    results, *modules = map(pathlib.Path, sys.argv[1:])
    counted = {case["name"]: int(case["allocations"]) for suite in json.loads(results.read_text())["testsuites"]
               for case in suite["testsuite"] if "allocations" in case}
    record("allocations", {name: counted[name] for name in recorded("allocations")})
    sizes = {module.stem: module.stat().st_size for module in modules}
    record("sizes", {name: sizes[name] for name in recorded("sizes")})


if __name__ == "__main__":
    main()
