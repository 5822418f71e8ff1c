#!/usr/bin/env python3
"""Runs the contract suite against hosts of the plain module, twice on one store.

    run_contract.py --portail … --suite … [--runs N] [--installed FOLDER] [suite flags] -- HOST COMMAND...

With --installed, the command runs there, where the npm package is, beside copies of tests/wasm/hosts.

The command is one process that serves a portal for each setting of the contract, all over one store of its
own. It reads one line of JSON from standard input:

    {"folder": "…", "portals": {"BASE": {"settings": {"PORTAIL_ISSUER": "…", …}, "trustForwarding": false,
                                         "tls": {"certificate": "FILE.pem", "key": "FILE.pem"} or null}, …}}

and prints one line of JSON when it listens:

    {"portals": {"BASE": "http://127.0.0.1:PORT", …}, "values": "http://127.0.0.1:PORT/"}

It may leave out portals that it cannot serve; their cases are skipped. "knowsMethods": true there says that it refuses
methods that it does not know. At `values` a GET gives its whole store as
`portail export --format json-lines` writes it, and a PUT of such lines replaces it: by these the suite imports, with the
native program. A host whose store is the native program's folder of files, in `folder`, leaves `values` out. It ends with
status 0 when its standard input is closed, and logs to standard error.
Exit status 0 when every run passed. Python's standard library only.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "contract")]
from needed import missing  # noqa: E402
from run_node_tests import copy_scripts  # noqa: E402, of this folder
from suite import keys_by_url, make_certificate, make_keys, make_store, portal_settings, run_suite, verdict  # noqa: E402

PATIENCE = 60  # seconds


def portals(folder, settings_of):
    """Returns the input of the host for each portal, of their settings."""
    tls = {"certificate": str(folder / "tls.crt"), "key": str(folder / "tls.key")}
    return {name: {"settings": settings, "trustForwarding": name == "FORWARDED", "tls": tls if name == "DIRECT" else None}
            for name, settings in settings_of.items()}


class Host:
    """The host's process, from its input line to its end."""

    def __init__(self, command, setup, folder):
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(json.dumps(setup) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the host ended before it listened, with status {self.process.wait()}")
        ready = json.loads(line)
        self.urls, self.values = ready["portals"], ready.get("values")
        self.knows_methods = ready.get("knowsMethods", False)

    def stop(self):
        """Waits for its end; returns the fault of its exit, or None."""
        self.process.stdin.close()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return f"the host did not end within {PATIENCE} s"
        return None if status == 0 else f"the host ended with status {status}"


def importing(arguments, host, store):
    """The command that imports, without the document."""
    if not host.values:
        return [arguments.portail, "import", "--store", f"dir:{store}"]
    return [sys.executable, pathlib.Path(__file__).parent / "import_through_host.py", arguments.portail, host.values]


def main():
    words = sys.argv[1:]
    if "--" not in words:
        sys.exit(__doc__)
    command = words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--portail", required=True, help="the native program, which imports")
    parser.add_argument("--suite", required=True, help="the program portail_contract")
    parser.add_argument("--installed", type=pathlib.Path, help="where the npm package is installed")
    parser.add_argument("--needs", type=pathlib.Path, help="a file that the host needs, and that may not be made yet")
    parser.add_argument("--keys-by-url", action="store_true", help="the portals fetch their keys")
    parser.add_argument("--runs", type=int, default=1, help="how often on the same store (1)")
    arguments, extra = parser.parse_known_args(words[:words.index("--")])  # the rest goes to the suite: --gtest_filter=…
    if missing(arguments.portail, arguments.suite, *filter(None, (arguments.installed, arguments.needs)), made_by="wasm"):
        return 1
    working = copy_scripts(arguments.installed) if arguments.installed else None

    failures = []
    with tempfile.TemporaryDirectory(prefix="portail-wasm-") as name, contextlib.ExitStack() as fetching:
        folder = pathlib.Path(name)
        make_keys(arguments.portail, arguments.suite, folder)
        make_certificate(folder)
        store = make_store(arguments.portail, folder)
        settings_of = portal_settings(folder)
        if arguments.keys_by_url:
            settings_of = fetching.enter_context(keys_by_url(settings_of))
        host = Host(command, {"folder": str(store), "portals": portals(folder, settings_of)}, working)
        try:
            failures += run_suite(arguments.suite, folder, host.urls, importing(arguments, host, store), arguments.runs, extra,
                                  ca=str(folder / "tls.crt"), host_parses_http="1",
                                  host_knows_methods="1" if host.knows_methods else "0")
        finally:
            failures += filter(None, [host.stop()])
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
