#!/usr/bin/env python3
"""freshness_test.py PORTAIL MADE COMMAND...: tests/support/freshness.py with one of wasm/examples, which is started as COMMAND with
`--store` and `--listen`; and whether it opens cached files. Fails if the file MADE is missing."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from freshness import is_fresh  # noqa: E402
from needed import missing  # noqa: E402
from opens import Opens  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402


def opens_no_cached_file(portal):
    """Returns whether a cached file is opened once after each change, and not again."""
    good = True
    for number in (700, 701):
        portal.replace(number)
        with Opens(portal.file) as opens:
            asked = [(portal.ask(), opens.any()) for _ in range(3)]
        good &= asked == [(number, True), (number, False), (number, False)]
    print(f"{'ok  ' if good else 'FAIL'} opens what changed once: {asked}")
    return good


def main():
    portail, made, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if missing(portail, made, made_by="wasm"):
        return 1

    def start(store, settings, log):
        return Serving([*command, "--listen", "127.0.0.1:0", "--store", store], log, clean_environment() | settings)

    return 0 if is_fresh(portail, start, opens_no_cached_file) else 1


if __name__ == "__main__":
    sys.exit(main())
