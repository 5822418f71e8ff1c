#!/usr/bin/env python3
"""Compiles strict programs that use every export of the installed package, with the TypeScript that the package is made with; and one that
must be refused, with the message that is the comment above each wrong line.

    check_types.py INSTALLED

Python's standard library only.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "types"
# The types that each program has from its platform.
PLATFORMS = {
    "node": {"lib": ["es2023"], "types": ["node"]},
    "browser": {"lib": ["es2023", "dom", "dom.iterable"], "types": []},
    "worker": {"lib": ["es2023", "webworker"], "types": []},
}
STRICT = {"strict": True, "exactOptionalPropertyTypes": True, "noUncheckedIndexedAccess": True, "verbatimModuleSyntax": True,
          "target": "es2022", "module": "nodenext", "noEmit": True}


def main():
    installed = pathlib.Path(sys.argv[1]).resolve()
    modules = installed.parent / "node_modules"
    compiler = modules / "typescript" / "bin" / "tsc"
    if missing(installed, compiler, made_by="wasm"):
        return 1
    faults = 0
    # Packages are resolved from the directory of a program.
    with tempfile.TemporaryDirectory(prefix=".types-", dir=installed) as name:
        folder = pathlib.Path(name)
        for program, types in PLATFORMS.items():
            faults += compiled(compiler, folder, program, types).returncode != 0
        found = compiled(compiler, folder, "misspelt", PLATFORMS["node"], stdout=subprocess.PIPE).stdout
    lines = (PROGRAMS / "misspelt.ts").read_text().splitlines()
    expected = [(number + 1, line[3:]) for number, line in enumerate(lines, 1) if number > 1 and line.startswith("// ")]
    messages = [(int(line), message) for line, message in re.findall(r"^misspelt\.ts\((\d+),\d+\): error TS\d+: (.*)$", found, re.M)]
    if messages != expected:
        print(f"misspelt.ts: the compiler's messages are\n{found}")
        faults += 1
    return 1 if faults else 0


def compiled(compiler, folder, program, types, **more):
    shutil.copy(PROGRAMS / f"{program}.ts", folder)
    options = STRICT | types | {"typeRoots": [str(compiler.parents[2] / "@types")]}
    project = folder / f"{program}.json"
    project.write_text(json.dumps({"compilerOptions": options, "files": [f"{program}.ts"]}))
    return subprocess.run(["node", compiler, "--project", project, "--pretty", "false"], cwd=folder, text=True, **more)


if __name__ == "__main__":
    sys.exit(main())
