#!/usr/bin/env python3
"""The page's sources, as the TypeScript compiler reads them. check_types.py NODE_MODULES; standard library only."""

import pathlib
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "page"


def main():
    packages = pathlib.Path(sys.argv[1]).resolve()
    # The compiler searches packages from the directory of the sources.
    with tempfile.TemporaryDirectory(prefix="portail-page-") as name:
        folder = pathlib.Path(name)
        for link, target in {"node_modules": packages, "source": PAGE / "source", "tsconfig.json": PAGE / "tsconfig.json"}.items():
            (folder / link).symlink_to(target)
        return subprocess.run(["node", packages / "typescript/bin/tsc", "--project", folder], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
