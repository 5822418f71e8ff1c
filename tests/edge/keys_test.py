#!/usr/bin/env python3
"""keys_test.py PORTAIL WASMTIME COMPONENT REQUESTS MOUNT [CASE...]: a component, whose store is a folder at MOUNT,
fetches its key set by URL, with that many requests to an instance. Standard library only."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from key_provider import KeyFetching  # noqa: E402
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402

PORTAIL, WASMTIME, COMPONENT, REQUESTS, MOUNT, *CASES = sys.argv[1:]


class KeysTest(KeyFetching, unittest.TestCase):
    program = PORTAIL
    swaps = "keyvalue" not in pathlib.Path(COMPONENT).name  # wasi:keyvalue has no compare-and-swap: instances can fetch concurrently

    def serve(self, settings):
        # The pool of wasmtime 49 is full after 1,000 instances within a second.
        return Wasmtime(WASMTIME, COMPONENT, self.folder / "log", "--max-instance-reuse-count", REQUESTS, "-O", "pooling-allocator=n",
                        "-S", "config", "--dir", f"{self.new_store()}::{MOUNT}", settings=settings)


if __name__ == "__main__":
    if missing(PORTAIL, WASMTIME, COMPONENT, made_by="edge --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], *(f"KeysTest.{name}" for name in CASES)], verbosity=2)
