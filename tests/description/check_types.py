#!/usr/bin/env python3
"""Compiles uses.ts with the types that openapi-typescript makes of both descriptions.

    check_types.py NODE_MODULES

Python's standard library only.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests/support"))
from needed import missing  # noqa: E402

DESCRIPTIONS = {"public": "core/api/documents/open_api.json", "management": "core/management/open_api.json"}
STRICT = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2023")


def main():
    modules = pathlib.Path(sys.argv[1]).resolve()
    generator, compiler = modules / "openapi-typescript/bin/cli.js", modules / "typescript/bin/tsc"
    if missing(generator, compiler, made_by="test --full"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-types-") as name:
        folder = pathlib.Path(name)
        for types, description in DESCRIPTIONS.items():
            subprocess.run(["node", generator, CHECKOUT / description, "--output", folder / f"{types}.d.ts"], check=True)
        shutil.copy(pathlib.Path(__file__).with_name("uses.ts"), folder)
        (folder / "package.json").write_text('{"type": "module"}')
        return subprocess.run(["node", compiler, *STRICT, folder / "uses.ts"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
