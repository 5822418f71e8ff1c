#!/usr/bin/env python3
"""commands_test.py PLACE [PAGE...]: runs the commands that pages show for this place, as they stand; blocks.py has the marks.

The blocks of a page that are for one place are run one after the other by one shell, as a reader would, at the top of a
checkout in which that place is made, with `portail` in PATH: native is what `tools/dev build` makes, edge and wasm what
`tools/dev edge` and `tools/dev wasm` do. Each page has a checkout, a machine and a network of its own
(own_checkout.py). A block of sh has to end well; in a block of console each command has to print what stands below it, too. Standard library only.
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
PLACE, *PAGES = sys.argv[1:]
NPM = "npm@" + re.search(r"npm_version=(\S+)", (blocks.ROOT / "tools/lib/npm.sh").read_text())[1]

PRELUDE = r"""
set -euo pipefail
set -m  # a server's group is its own
declare -A servers=()
serve() {  # ADDRESS LOG: what stands on standard input
  stop "$1"
  bash -euo pipefail -c "$(cat)" >"$2" 2>&1 </dev/null &
  servers[$1]=$!
  until (exec 3<>"/dev/tcp/${1%:*}/${1##*:}") 2>/dev/null; do
    kill -0 "${servers[$1]}" 2>/dev/null || { echo "it ended, and serves nothing on $1" >>"$2"; return 1; }
    sleep 0.05
  done
}
stop() {
  [[ -v servers[$1] ]] || return 0
  kill -TERM -- "-${servers[$1]}" || return 1
  wait "${servers[$1]}" || true
  unset "servers[$1]"
}
"""


def isolation():
    """What gives a command namespaces of its own; nothing where this machine or user may not."""
    wanted = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
    # In tools/dev's private root, which is private already and no mount of its own, there is nothing to make private.
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
    programs = [build / "native", folder / "bin", build / "wasmtime", build / "javascript-hosts/bin"]
    return {"PATH": ":".join([*map(str, programs), os.environ["PATH"], "/usr/sbin", "/sbin"]), "HOME": "/tmp", "LANG": "C.UTF-8",
            "SYSTEMD_OFFLINE": "1", "COREPACK_HOME": str(build / "corepack"), "COREPACK_ENABLE_NETWORK": "0",
            "npm_config_offline": "true", "npm_config_update_notifier": "false", "npm_config_audit": "false",
            "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-mod=mod -modcacherw", "GOMODCACHE": str(build / "embedding/go/modules"),
            "GOCACHE": os.environ.get("GOCACHE", str(pathlib.Path.home() / ".cache/go-build")),
            "DENO_NO_UPDATE_CHECK": "1"}


def make_programs(folder):
    """npm, of which Debian's package brings some hundred others."""
    (folder / "bin").mkdir()
    npm = folder / "bin/npm"
    npm.write_text(f'#!/bin/sh\nexec corepack {NPM} "$@"\n')
    npm.chmod(0o755)


def quoted(text):
    """For a shell's standard input."""
    return f"<<'END OF THE BLOCK'\n{text}END OF THE BLOCK\n"


def script_of(page_blocks, results):
    """What the shell is told: each block, or command of a block, with its output in a file of its own."""
    lines, top = [PRELUDE], shlex.quote(str(blocks.ROOT))
    for number, block in enumerate(page_blocks):
        if block.kind == "file":
            lines.append(f"cat >{shlex.quote(block.said)} {quoted(block.text)}")
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
class Ran:
    """A page that was run: which block was reached, or all; and what was printed."""

    reached: str
    said: dict


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
        said = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in sorted(results.iterdir())}
        said["shell"] = (folder / "shell").read_text()
        return Ran(said.pop("reached", "nothing").strip(), said)


def may_run(block):
    return os.geteuid() == 0 or not block.as_root


class BlockTest(unittest.TestCase):
    """One block of a page."""

    def __init__(self, block, number, ran=None):
        super().__init__("check")
        self.block, self.number, self.ran = block, number, ran

    def __str__(self):
        return f"{self.block.where} (documents)"

    def check(self):
        if self.block.kind == "not run":
            self.skipTest("not run here: " + " ".join(self.block.said.split()))
        if not may_run(self.block):
            self.skipTest("only root may install")
        if self.ran is None:
            self.skipTest("no namespaces of one's own can be made here")
        page = self.ran.result()
        said = "".join(text for name, text in page.said.items() if name == "shell" or name.split(".")[0] == str(self.number))
        if page.reached != "all":
            self.assertNotEqual(page.reached, str(self.number), f"it failed:\n{said[-4000:]}")
            self.assertTrue(page.reached.isdigit() and int(page.reached) > self.number, f"not reached: block {page.reached} of the page failed")
        for n, (command, expected) in enumerate(blocks.commands_of(self.block)):
            if expected is not None:
                with self.subTest(command=command):
                    output = page.said[f"{self.number}.{n}"]
                    self.assertTrue(blocks.agrees(expected, output), f"it printed:\n{output[:4000]}")


def suite(pool):
    options = isolation()
    tests = unittest.TestSuite()
    for page in PAGES or blocks.pages():
        here = [block for block in blocks.read(page) if block.kind == "file" or (block.is_run and block.said == PLACE)]
        chosen = [block for block in here if may_run(block)]
        if any(block.is_run for block in chosen):
            ran = pool.submit(run, page, chosen, options) if options else None
            tests.addTests(BlockTest(block, number, ran) for number, block in enumerate(chosen) if block.is_run)
        left_out = [block for block in here if not may_run(block)]
        if PLACE == "native":
            left_out += [block for block in blocks.read(page) if block.kind == "not run"]
        tests.addTests(BlockTest(block, 0) for block in left_out)
    return tests


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        outcome = unittest.TextTestRunner(verbosity=2).run(suite(workers))
    sys.exit(not outcome.wasSuccessful())
