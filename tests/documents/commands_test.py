#!/usr/bin/env python3
"""commands_test.py TARGET [PAGE...]: runs the commands of the pages for this target, unchanged; blocks.py describes the marks.

One shell runs the blocks of a page for one target in order, in the top directory of a checkout in which that target is built, with
`portail` in PATH. `tools/dev build` builds native, `tools/dev edge` edge, `tools/dev wasm` wasm. Each page has a separate checkout,
machine and network (own_checkout.py). A block of sh must succeed. In a block of console each command must also print the lines below it.
Standard library only.
"""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import blocks

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # seconds, for a page
TARGET, *PAGES = sys.argv[1:]
NEEDED = {block.needs for page in blocks.pages() for block in blocks.read(page) if block.needs}  # variables
NPM = "npm@" + re.search(r"npm_version=(\S+)", (blocks.ROOT / "tools/lib/npm.sh").read_text())[1]

PRELUDE = r"""
set -euo pipefail
set -m  # a server's group is its own
declare -A servers=()
listens() { (exec 3<>"/dev/tcp/${1%:*}/${1##*:}") 2>/dev/null; }
serve() {  # ADDRESS LOG: starts the commands on standard input as a server
  stop "$1"
  bash -euo pipefail -c "$(cat)" >"$2" 2>&1 </dev/null &
  servers[$1]=$!
  until listens "$1"; do
    kill -0 "${servers[$1]}" 2>/dev/null || { echo "the server on $1 ended before it listened" >>"$2"; return 1; }
    sleep 0.05
  done
}
stop() {
  [[ -v servers[$1] ]] || return 0
  kill -TERM -- "-${servers[$1]}" || return 1
  wait "${servers[$1]}" || true
  while listens "$1"; do sleep 0.05; done  # a child of its shell, as of `go run`, may end later
  unset "servers[$1]"
}
"""


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


def make_programs(folder):
    """Creates npm from corepack: Debian's package of npm depends on some hundred others."""
    (folder / "bin").mkdir()
    npm = folder / "bin/npm"
    npm.write_text(f'#!/bin/sh\nexec corepack {NPM} "$@"\n')
    npm.chmod(0o755)


def quoted(text):
    """Returns a here-document with the text."""
    return f"<<'END OF THE BLOCK'\n{text}END OF THE BLOCK\n"


def script_of(page_blocks, results):
    """Returns the shell's script: each block, or command of a block, with its output in a separate file."""
    lines, top = [PRELUDE], shlex.quote(str(blocks.ROOT))
    for number, block in enumerate(page_blocks):
        if block.kind == "file":
            lines.append(f"cat >{shlex.quote(block.value)} {quoted(block.text)}")
            continue
        here = f"{results}/{number}"
        lines.append(f"echo {number} >{results}/reached\n")
        if block.given:
            lines.append(f"cd {top}\n{{\n{block.given}}} >{here}.given 2>&1 </dev/null\n")
        lines.append(f"cd {top}/{shlex.quote(block.folder)}\n")
        if block.serves:
            lines.append(f"serve {block.serves} {here} {quoted(block.text)}")
        elif block.language == "fish":
            lines.append(f"fish >{here} 2>&1 {quoted(block.text)}")
        elif block.language == "console":
            lines += [f"{{\n{command}\n}} >{here}.{n} 2>&1 </dev/null\n" for n, (command, _) in enumerate(blocks.commands_of(block))]
        else:
            lines.append(f"{{\n{block.text}}} >{here} 2>&1 </dev/null\n")
    lines.append(f'for address in "${{!servers[@]}}"; do stop "$address"; done\necho all >{results}/reached\n')
    return "".join(lines)


@dataclasses.dataclass
class PageResult:
    """The result of a page: the last block that was reached, or all, and the output by its name."""

    reached: str
    outputs: dict


def run(page, page_blocks, options):
    with tempfile.TemporaryDirectory(prefix="portail-page-", dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        results, memory = folder / "results", folder / "memory"
        results.mkdir()
        memory.mkdir()
        make_programs(folder)
        script = folder / "script"
        script.write_text(script_of(page_blocks, results), encoding="utf-8")
        with open(folder / "shell", "w") as log:
            try:
                subprocess.run([*isolated(options, memory), "bash", script], env=environment(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                               timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                log.write(f"{page} took more than {PATIENCE} s\n")
        outputs = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in sorted(results.iterdir())}
        outputs["shell"] = (folder / "shell").read_text()
        return PageResult(outputs.pop("reached", "nothing").strip(), outputs)


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
        page = self.page_result.result()
        printed = "".join(text for name, text in page.outputs.items() if name == "shell" or name.split(".")[0] == str(self.number))
        if page.reached != "all":
            self.assertNotEqual(page.reached, str(self.number), f"it failed:\n{printed[-4000:]}")
            self.assertTrue(page.reached.isdigit() and int(page.reached) > self.number, f"not reached: block {page.reached} of the page failed")
        for n, (command, expected) in enumerate(blocks.commands_of(self.block)):
            if expected is not None:
                with self.subTest(command=command):
                    output = page.outputs[f"{self.number}.{n}"]
                    self.assertTrue(blocks.agrees(expected, output), f"it printed:\n{output[:4000]}")


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
