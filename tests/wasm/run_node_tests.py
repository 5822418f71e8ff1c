#!/usr/bin/env python3
"""Runs tests of node:test over the sample portal: makes keys, tokens and values with the native program.

    run_node_tests.py --portail PROGRAM [--installed FOLDER] [--module portail.wasm] TEST.mjs...

The tests find what was made in the file TEST_SAMPLE, and the package where it is installed: the tests are copied there.
Python's standard library only.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]


def copy_scripts(installed):
    """Copies the tests into a folder, and returns it: Node resolves packages from the directory of a script. Concurrent calls copy the
    same files."""
    for script in [*HERE.glob("*.mjs"), *HERE.glob("hosts/*.mjs")]:
        copy = installed / f".{script.name}.{os.getpid()}"
        shutil.copy(script, copy)
        copy.replace(installed / script.name)
    return installed


def make_sample(portail, folder):
    """The text of the sample: settings, tokens and values."""
    portal, store = Portal(portail, folder, issuer="https://development.invalid"), f"dir:{folder / 'store'}"
    portal.make_keys("--alg", "EdDSA", "--kid", "sample")
    portal.run("import", "--store", store, TREE / "fixtures" / "portail.json")
    tokens = {}
    for persona in json.loads((TREE / "fixtures" / "personas.json").read_text()):
        flags = [part for kind in ("role", "permission") for value in persona.get(f"{kind}s", []) for part in (f"--{kind}", value)]
        tokens[persona["name"]] = portal.token(persona["sub"], "--lifetime", "43200", *flags)
    values = [json.loads(line) for line in portal.run("export", "--store", store, "--format", "json-lines").splitlines()]
    settings = portal.settings
    del settings["PORTAIL_TRANSPORT"]
    return json.dumps({"settings": settings, "tokens": tokens, "values": values})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True)
    parser.add_argument("--installed", type=pathlib.Path)
    parser.add_argument("--module", default="")
    parser.add_argument("tests", nargs="+")
    arguments = parser.parse_args()
    if missing(arguments.portail, *filter(None, (arguments.installed, arguments.module)), made_by="wasm"):
        return 1
    folder = copy_scripts(arguments.installed) if arguments.installed else HERE
    with tempfile.TemporaryDirectory(prefix="portail-sample-") as name:
        sample = pathlib.Path(name) / "sample.json"
        sample.write_text(make_sample(arguments.portail, pathlib.Path(name)))
        environment = os.environ | {"TEST_SAMPLE": str(sample), "TEST_MODULE": arguments.module}
        return subprocess.run(["node", "--test", *arguments.tests], cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
