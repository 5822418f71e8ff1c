"""What a measurement leaves for the pictures and tables of docs/explanation/performance.md: ratios, in a file of tools/bench/results."""

import json
import pathlib

FOLDER = pathlib.Path(__file__).parent / "results"


def write(name, results):
    text = json.dumps(rounded(results), indent=1, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def rounded(value):
    """Three digits say all that such a measurement knows."""
    match value:
        case float():
            return float(f"{value:.3g}")
        case dict():
            return {key: rounded(of) for key, of in value.items()}
        case list():
            return [rounded(of) for of in value]
    return value
