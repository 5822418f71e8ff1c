#!/usr/bin/env python3
"""large_body_test.py PORTAIL HOST TARBALL: an example is sent a body of 100 MB, with its length and in chunks.

It is refused by the contract's 413, or the connection is closed; the host neither keeps it nor falls over. Python's
standard library only.
"""

import http.client
import os
import pathlib
import subprocess
import sys
import tempfile

import example

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from needed import missing  # noqa: E402

SIZE, PIECE = 100_000_000, bytes(1_000_000)
LARGEST_GROWTH = 60_000_000  # bytes: the body is no part of it
ISSUER, AUDIENCE = "https://development.invalid", "portail"
TARGET = "/api/app/objet-courrier/1"


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def send_body(address, token, chunked):
    """The answer's status; nothing where the connection was closed while the body was on its way."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if not chunked:
        headers["Content-Length"] = str(SIZE)
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request("PUT", TARGET, body=(PIECE for _ in range(SIZE // len(PIECE))), headers=headers,
                           encode_chunked=chunked)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it may have answered before
    try:
        return connection.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def ask(address, target, token=None):
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.request("GET", target, headers={"Authorization": f"Bearer {token}"} if token else {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def prepare(portail, folder):
    """The settings, and an administrator's token."""
    def run(*arguments):
        return subprocess.run([portail, *arguments], check=True, capture_output=True, text=True).stdout
    keys, public = folder / "keys.json", folder / "public.json"
    run("keys", "make", "--alg", "EdDSA", "--kid", "sample", "--output", keys)
    run("keys", "public", "--input", keys, "--output", public)
    run("import", "--store", f"dir:{folder / 'store'}", example.CHECKOUT / "fixtures" / "portail.json")
    token = run("token", "--keys", keys, "--issuer", ISSUER, "--audience", AUDIENCE, "--lifetime", "3600",
                "--subject", "sub-administrateur-1").strip()
    return {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": public.read_text(),
            "PORTAIL_TRANSPORT": "loopback"}, token


def main():
    portail, host, tarball = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    if missing(portail, tarball, example.COMMANDS[host][0], made_by="wasm"):
        return 1
    with tempfile.TemporaryDirectory(prefix="portail-large-") as name:
        folder = pathlib.Path(name)
        settings, token = prepare(portail, folder)
        installed = example.install(host, tarball, folder)
        server = example.Server(host, host, installed, settings, str(folder / "store"), folder)
        try:
            address = server.url().split("://")[1]
            before = ask(address, TARGET, token)
            assert before[0] == 200, before
            at_first = resident(server.process)
            for chunked in (False, True):
                status = send_body(address, token, chunked)
                assert status in (413, None), f"chunked {chunked}: {status}"
                print(f"{host}: {'in chunks' if chunked else 'with its length'}: {status or 'closed'}")
            growth = resident(server.process) - at_first
            assert growth < LARGEST_GROWTH, f"it grew by {growth} bytes"
            assert ask(address, TARGET, token) == before
            assert ask(address, "/health/ready")[0] == 200
        finally:
            well = server.stop()
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
