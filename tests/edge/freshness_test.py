#!/usr/bin/env python3
"""freshness_test.py PORTAIL WASMTIME COMPONENT: tests/support/freshness.py with a component whose instances live long: their caches must
not return stale values."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from freshness import is_fresh  # noqa: E402
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402


def main():
    portail, wasmtime, component = sys.argv[1:]
    if missing(portail, wasmtime, component, made_by="edge --test"):
        return 1

    def start(store, settings, log):
        return Wasmtime(wasmtime, component, log, "--max-instance-reuse-count", "100000", "--dir", f"{store}::/data", settings=settings)

    return 0 if is_fresh(portail, start) else 1


if __name__ == "__main__":
    sys.exit(main())
