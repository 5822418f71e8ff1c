#!/usr/bin/env python3
"""Runs the contract suite against the modules' adapter of Fastly Compute, in Viceroy.

    fastly_contract.py PORTAIL SUITE VICEROY MODULE [flags of the suite]

Viceroy's store is in its memory, so one Viceroy serves all portals and a management interface, by which the suite imports
(fastly_portals.cpp). Each has a port of its own, from which its connections are forwarded: the port in the request's Host
selects the portal. Exit status 0 when the run passed. Python's standard library only.
"""

import contextlib
import pathlib
import socket
import socketserver
import sys
import tempfile
import threading

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "contract")]
from needed import missing  # noqa: E402
from portal import Portal  # noqa: E402
from serving import Viceroy  # noqa: E402
from suite import AUDIENCES, ISSUER, keys_by_url, make_keys, portal_settings, run_suite, verdict  # noqa: E402

# Viceroy has no TLS, and modules cannot identify the peer.
SKIPPED_FEATURES = {"DIRECT", "FORWARDED_UNTRUSTED"}


class Forwarder(socketserver.ThreadingTCPServer):
    """Forwards connections on a port of loopback to the port `target`, in its block."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), None)
        self.port = self.server_address[1]
        self.target = None

    def finish_request(self, client, _):
        with socket.create_connection(("127.0.0.1", self.target)) as server:
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=copy, args=(server, client))
            back.start()
            copy(client, server)
            back.join()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


def copy(source, target):
    """Copies bytes until one side ends, and then ends the other."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def main():
    portail, suite, viceroy, module, *extra = sys.argv[1:]
    if missing(portail, suite, viceroy, module, made_by="test --full"):
        return 1
    failures = []
    with tempfile.TemporaryDirectory(prefix="portail-fastly-") as name, contextlib.ExitStack() as running:
        folder = pathlib.Path(name)
        make_keys(portail, suite, folder)
        portals = {name: settings for name, settings in portal_settings(folder).items() if name not in SKIPPED_FEATURES}
        portals = running.enter_context(keys_by_url(portals))
        portals["MANAGEMENT"] = portals["BASE"] | {"PORTAIL_JWKS": (folder / "public.json").read_text(), "PORTAIL_MANAGE_SUBJECTS": "operator"}
        keys = next(settings["PORTAIL_JWKS"] for settings in portals.values() if settings["PORTAIL_JWKS"].startswith("http"))
        forwarders = {name: running.enter_context(Forwarder()) for name in portals}
        stores = {f"port{forwarders[name].port}": settings for name, settings in portals.items()}
        server = Viceroy(viceroy, module, folder / "log", stores, backends=[keys])
        try:
            with server:
                for forwarder in forwarders.values():
                    forwarder.target = server.port
                urls = {name: f"http://127.0.0.1:{forwarder.port}" for name, forwarder in forwarders.items()}
                operator = Portal(portail, folder, ISSUER, AUDIENCES[0])
                operator.keys = folder / "EdDSA.json"
                (folder / "token").write_text(operator.token("operator"))
                importing = [portail, "import", "--to", urls.pop("MANAGEMENT"), "--token-file", folder / "token"]
                (folder / "empty.json").write_text("{}")
                operator.run(*importing[1:], folder / "empty.json")
                failures += run_suite(suite, folder, urls, importing, 1, extra, host_parses_http="1", compare_and_swap="0")
        except RuntimeError as error:
            failures.append(str(error))
        if "trap" in server.output() or "panicked" in server.output():
            failures.append(f"the log:\n{server.output()[-2000:]}")
    return verdict(failures)


if __name__ == "__main__":
    sys.exit(main())
