#!/usr/bin/env python3
"""Compiles strict programs that use every export of the installed package, with the TypeScript that the package is made with.

    check_types.py INSTALLED

Python's standard library only.
"""

import json
import pathlib
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
        for platform, types in PLATFORMS.items():
            shutil.copy(PROGRAMS / f"{platform}.ts", folder)
            options = STRICT | types | {"typeRoots": [str(modules / "@types")]}
            project = folder / f"{platform}.json"
            project.write_text(json.dumps({"compilerOptions": options, "files": [f"{platform}.ts"]}))
            faults += subprocess.run(["node", compiler, "--project", project]).returncode != 0
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
