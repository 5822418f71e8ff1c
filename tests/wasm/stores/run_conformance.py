#!/usr/bin/env python3
"""run_conformance.py HOST STORE TARBALL [MODULE]: the package's conformance suite over a store, under the host that it is made for.

HOST is node, deno, bun or workerd; STORE is folder, deno-kv or kv. Of a folder the cases are those of MODULE
(tests/wasm/folder_conformance.cpp). Python's standard library only.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import other_files  # noqa: E402
from needed import missing  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]
PROGRAMS = TREE / "build" / "javascript-hosts" / "bin"


def main():
    host, store, tarball, *module = sys.argv[1:]
    program = shutil.which("node") if host == "node" else PROGRAMS / host
    if missing(program, tarball, *module, made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-store-") as name:
        folder = pathlib.Path(name)
        values, package = folder / "values", folder / "node_modules" / "portail"
        values.mkdir()
        package.mkdir(parents=True)
        subprocess.run(["tar", "-xzf", tarball, "-C", package, "--strip-components=1"], check=True)
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        for file in (*HERE.glob("*.js"), *(HERE / "workerd").iterdir()):
            shutil.copy(file, folder)
        other_files.make(folder / "others")
        script = ["folder_conformance.js", *module, str(folder / "others")] if store == "folder" else ["conformance.js"]
        command = {
            "node": script,
            "bun": script,
            "deno": ["run", "--unstable-kv", "--allow-read", "--allow-write", *script],
            "workerd": ["test", "--directory-path", f"folder={values}", "config.capnp"],
        }[host]
        environment = {"PATH": os.environ["PATH"], "HOME": name, "DENO_DIR": str(folder / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
        return 1 if subprocess.run([program, *command], cwd=folder, env=environment).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
