#!/usr/bin/env python3
"""freshness_test.py PORTAIL MADE COMMAND...: tests/support/freshness.py, of one of wasm/examples, which is started as COMMAND with
`--store` and `--listen`. Fails where the file MADE is not there."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from freshness import is_fresh  # noqa: E402
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PORTAIL_")}


def main():
    portail, made, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if missing(portail, made, made_by="wasm"):
        return 1

    def start(store, settings, log):
        return Serving([*command, "--listen", "127.0.0.1:0", "--store", store], log, CLEAN | settings)

    return 0 if is_fresh(portail, start) else 1


if __name__ == "__main__":
    sys.exit(main())
