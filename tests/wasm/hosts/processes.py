#!/usr/bin/env python3
"""processes.py COMMAND...: a host for run_contract.py, of one process of COMMAND for each portal.

Each is started as the examples are, with the settings in its environment and `--listen 127.0.0.1:0 --store FOLDER`, and
is stopped by SIGINT. They end no TLS and trust every client on loopback, so two of the contract's portals are left out.
Python's standard library only."""

import json
import pathlib
import sys
import tempfile
from contextlib import ExitStack

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402


def main():
    command = sys.argv[1:]
    setup = json.loads(sys.stdin.readline())
    with ExitStack() as stack:
        logs = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="portail-hosts-")))
        urls, running = {}, []
        for name, portal in setup["portals"].items():
            if name in ("DIRECT", "FORWARDED_UNTRUSTED"):
                continue
            host = Serving([*command, "--listen", "127.0.0.1:0", "--store", setup["folder"]], logs / name,
                           clean_environment() | portal["settings"])
            running.append(stack.enter_context(host))
            urls[name] = host.url
        print(json.dumps({"portals": urls}), flush=True)
        sys.stdin.read()
        ended = [host for host in running if host.process.poll() is not None]
        for host in running:
            sys.stderr.write(host.output())
    return 1 if ended else 0


if __name__ == "__main__":
    sys.exit(main())
