"""Clients that request a list of bundles of several MB, and do not read the answer. Standard library only."""

import json
import pathlib
import resource
import socket

from portal import small_portal
from serving import slow_client
from waiting import until

LIST = "/api/app/liasse"
CLIENTS = 250
SUBJECT = "u-stalled"
# Bytes above the memory of the process after one client has read such a list.
MAX_GROWTH = 128 * 1024 * 1024


def document(bundles=3400):
    """Returns a portal whose list for SUBJECT has about 3.6 MB."""
    portal = small_portal(1, bundles, SUBJECT)
    for bundle in portal["liasses"]:
        bundle["nomDossier"] = "Prêt immobilier de la famille " + "x" * 440
    return json.dumps(portal, ensure_ascii=False)


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def open_stalled_client(port, bearer):
    """Returns a connection whose answer has started, and is not read further."""
    client = slow_client(port, f"GET {LIST} HTTP/1.1\r\nHost: h\r\nAuthorization: {bearer['Authorization']}\r\n\r\n")
    if client.recv(12, socket.MSG_PEEK) not in (b"HTTP/1.1 200", b"HTTP/1.1 503"):
        raise AssertionError("an answer that is neither 200 nor 503")
    return client


def growth_by_stalled_clients(server, bearer, count=CLIENTS):
    """Returns the bytes by which the server grows with `count` such clients. The requests of another client must still succeed."""
    pid = server.process.pid
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    status, _, body = server.ask(LIST, bearer)
    if status != 200 or len(body) < 3_000_000:
        raise AssertionError(f"{status}, {len(body)} bytes: no list of several MB")
    idle = resident(pid)
    clients = []
    try:
        for _ in range(count):
            clients.append(open_stalled_client(server.port, bearer))
        grown = max(resident(pid) - idle for _ in range(10))
        for target in ("/health/live", LIST):
            until(lambda target=target: server.ask(target, bearer)[0] == 200, f"another client's answer to {target}")
        grown = max(grown, resident(pid) - idle)
        print(f"{count} stalled clients: {grown >> 20} MiB more than {idle >> 20}", flush=True)
        return grown
    finally:
        for client in clients:
            client.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
