"""Reads and writes the results of benchmarks, ratios in tools/bench/results, for docs/explanation/performance.md."""

import json
import pathlib

DIRECTORY = pathlib.Path(__file__).parent / "results"


def write(name, results):
    text = json.dumps(rounded(results), indent=1, ensure_ascii=False)
    (DIRECTORY / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def read(name):
    return json.loads((DIRECTORY / f"{name}.json").read_text(encoding="utf-8"))


def rounded(value):
    """Rounds to three digits, the precision of such a measurement."""
    match value:
        case float():
            return float(f"{value:.3g}")
        case dict():
            return {key: rounded(member) for key, member in value.items()}
        case list():
            return [rounded(element) for element in value]
    return value
