"""The blocks of a page as one script of bash, and what it printed (commands_test.py, tests/packaging/walks_test.py). Standard library only."""

import dataclasses
import re
import shlex

import blocks

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


def make_npm(folder):
    """Creates npm from corepack: Debian's package of npm depends on some hundred others."""
    folder.mkdir(exist_ok=True)
    npm = folder / "npm"
    npm.write_text(f'#!/bin/sh\nexec corepack {NPM} "$@"\n')
    npm.chmod(0o755)


def quoted(text):
    """Returns a here-document with the text."""
    return f"<<'END OF THE BLOCK'\n{text}END OF THE BLOCK\n"


def script_of(page_blocks, results, top=None):
    """Returns the shell's script: each block, or command of a block, with its output in a separate file of the directory `results`. Each
    block starts in its folder below `top`; without `top`, where the block above it ended, as in a terminal."""
    lines = [PRELUDE]
    for number, block in enumerate(page_blocks):
        if block.kind == "file":
            lines.append(f"cat >{shlex.quote(block.value)} {quoted(block.text)}")
            continue
        here = f"{results}/{number}"
        lines.append(f"echo {number} >{results}/reached\n")
        if block.given:
            lines.append(f"cd {shlex.quote(str(top))}\n{{\n{block.given}}} >{here}.given 2>&1 </dev/null\n")
        if top:
            lines.append(f"cd {shlex.quote(f'{top}/{block.folder}')}\n")
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

    @classmethod
    def read(cls, results, log):
        """Reads what a script wrote to the directory `results`, and to its own output, the file `log`."""
        outputs = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in sorted(results.iterdir())}
        outputs["shell"] = log.read_text(encoding="utf-8", errors="replace")
        return cls(outputs.pop("reached", "nothing").strip(), outputs)

    def check(self, test, block, number):
        """Fails `test` unless this block succeeded and printed what it shows."""
        printed = "".join(text for name, text in self.outputs.items() if name == "shell" or name.split(".")[0] == str(number))
        if self.reached != "all":
            test.assertNotEqual(self.reached, str(number), f"it failed:\n{printed[-4000:]}")
            test.assertTrue(self.reached.isdigit() and int(self.reached) > number, f"not reached: block {self.reached} of the page failed")
        for n, (command, expected) in enumerate(blocks.commands_of(block)):
            if expected is not None:
                with test.subTest(command=command):
                    output = self.outputs[f"{number}.{n}"]
                    test.assertTrue(blocks.agrees(expected, output), f"it printed:\n{output[:4000]}")
