#!/usr/bin/env python3
"""Runs a suite component under wasmtime, with an empty folder for its host's buckets: run_suite.py WASMTIME COMPONENT."""

import subprocess
import sys
import tempfile

wasmtime, component = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="portail-buckets-") as folder:
    done = subprocess.run([wasmtime, "run", "--dir", f"{folder}::/buckets", "--invoke", "run()", component],
                          stdout=subprocess.PIPE, text=True)
print(done.stdout)
# wasmtime prints what run() returned after all that the suite printed.
passed = done.returncode == 0 and done.stdout.rstrip().endswith("\ntrue")
sys.exit(0 if passed and "test suite ran." in done.stdout else 1)
