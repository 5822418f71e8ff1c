#!/usr/bin/env python3
"""commands_test.py TARGET [PAGE...]: runs the commands of the pages for this target, unchanged; blocks.py describes the marks.

One shell runs the blocks of a page for one target in order, in the top directory of a checkout in which that target is built, with
`portail` in PATH. `tools/dev build` builds native, `tools/dev edge` edge, `tools/dev wasm` wasm. Each page has a separate checkout,
machine and network (own_checkout.py). A block of sh must succeed. In a block of console each command must also print the lines below it.
Standard library only.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import blocks
from page_script import PageResult, make_npm, script_of

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # seconds, for a page
TARGET, *PAGES = sys.argv[1:]
NEEDED = {block.needs for page in blocks.pages() for block in blocks.read(page) if block.needs}  # variables


def isolation():
    """Returns the command prefix that creates namespaces; None if this machine or user cannot create them."""
    wanted = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    # The private root of tools/dev is isolated already, and not a mount: its propagation cannot be changed.
    for more in ([], ["--propagation", "unchanged"], ["--map-root-user"]):
        options = [*wanted, *more]
        with tempfile.TemporaryDirectory(dir="/var/tmp") as memory:
            if subprocess.run([*isolated(options, memory), "true"], capture_output=True).returncode == 0:
                return options
    return None


def isolated(options, memory):
    return [*options, "--", sys.executable, "-B", HERE / "own_checkout.py", memory, blocks.ROOT]


def environment(folder):
    build = blocks.ROOT / "build"
    needed = {pathlib.Path(value).parent for name, value in os.environ.items() if name in NEEDED and value}
    programs = [*needed, build / "native", folder / "bin", build / "wasmtime", build / "javascript-hosts/bin"]
    return {"PATH": ":".join([*map(str, programs), os.environ["PATH"], "/usr/sbin", "/sbin"]), "HOME": "/tmp", "LANG": "C.UTF-8",
            "SYSTEMD_OFFLINE": "1", "COREPACK_HOME": str(build / "corepack"), "COREPACK_ENABLE_NETWORK": "0",
            "npm_config_offline": "true", "npm_config_update_notifier": "false", "npm_config_audit": "false",
            "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-mod=mod -modcacherw", "GOMODCACHE": str(build / "embedding/go/modules"),
            "GOCACHE": os.environ.get("GOCACHE", str(pathlib.Path.home() / ".cache/go-build")),
            "DENO_NO_UPDATE_CHECK": "1"}


def run(page, page_blocks, options):
    with tempfile.TemporaryDirectory(prefix="portail-page-", dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        results, memory = folder / "results", folder / "memory"
        results.mkdir()
        memory.mkdir()
        make_npm(folder / "bin")
        script = folder / "script"
        script.write_text(script_of(page_blocks, results, blocks.ROOT), encoding="utf-8")
        with open(folder / "shell", "w") as log:
            try:
                subprocess.run([*isolated(options, memory), "bash", script], env=environment(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                log.write(f"{page} took more than {PATIENCE} s\n")
        return PageResult.read(results, folder / "shell")


def may_run(block):
    return (os.geteuid() == 0 or not block.as_root) and (not block.needs or bool(os.environ.get(block.needs)))


class BlockTest(unittest.TestCase):
    """One block of a page."""

    def __init__(self, block, number, page_result=None):
        super().__init__("check")
        self.block, self.number, self.page_result = block, number, page_result

    def __str__(self):
        return f"{self.block.where} (documents)"

    def check(self):
        if self.block.kind == "not run":
            self.skipTest("not run here: " + " ".join(self.block.value.split()))
        if not may_run(self.block):
            self.skipTest(f"not run here: {self.block.needs} names no program" if self.block.needs else "only root may install")
        if self.page_result is None:
            self.skipTest("no namespaces of one's own can be made here")
        self.page_result.result().check(self, self.block, self.number)


def suite(pool):
    options = isolation()
    tests = unittest.TestSuite()
    for page in PAGES or blocks.pages():
        here = [block for block in blocks.read(page) if block.kind == "file" or (block.is_run and block.value == TARGET)]
        chosen = [block for block in here if may_run(block)]
        if any(block.is_run for block in chosen):
            page_result = pool.submit(run, page, chosen, options) if options else None
            tests.addTests(BlockTest(block, number, page_result) for number, block in enumerate(chosen) if block.is_run)
        left_out = [block for block in here if not may_run(block)]
        if TARGET == "native":
            left_out += [block for block in blocks.read(page) if block.kind == "not run"]
        tests.addTests(BlockTest(block, 0) for block in left_out)
    return tests


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        outcome = unittest.TextTestRunner(verbosity=2).run(suite(workers))
    sys.exit(not outcome.wasSuccessful())
