#!/usr/bin/env python3
"""run_conformance.py HOST STORE TARBALL: the package's conformance suite over a store, under the host that it is made for.

HOST is deno, bun or workerd; STORE is folder, deno-kv or kv. Python's standard library only.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needed import missing  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]
PROGRAMS = TREE / "build" / "javascript-hosts" / "bin"


def main():
    host, store, tarball = sys.argv[1:]
    program = PROGRAMS / host
    if missing(program, tarball, made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-store-") as name:
        folder = pathlib.Path(name)
        values, package = folder / "values", folder / "node_modules" / "portail"
        values.mkdir()
        package.mkdir(parents=True)
        subprocess.run(["tar", "-xzf", tarball, "-C", package, "--strip-components=1"], check=True)
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        for file in (HERE / "conformance.js", *(HERE / "workerd").iterdir()):
            shutil.copy(file, folder)
        script = ["conformance.js", store, str(values)]
        command = {
            "bun": script,
            "deno": ["run", "--unstable-kv", "--allow-read", "--allow-write", *script],
            "workerd": ["test", "--directory-path", f"folder={values}", "config.capnp"],
        }[host]
        environment = {"PATH": os.environ["PATH"], "HOME": name, "DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
        return 1 if subprocess.run([program, *command], cwd=folder, env=environment).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
