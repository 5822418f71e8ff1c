#!/usr/bin/env python3
"""Checks that the host receives the first bytes of each answer's body before the head: all of a whole body, or the first piece of a
streamed one. A host that flushes a head alone, without TCP_NODELAY, sends the body after the client's delayed acknowledgement, 40 ms
later.

first_bytes_test.py PORTAIL WASMTIME COMPONENT [--mount FOLDER] [--yields N]

The order is read from wasmtime's trace: for wasi:http 0.3 the write to the body's stream and `task.return`, for 0.2 the writes to the
output stream and `response-outparam.set`. Each route is requested from a new instance, whose store suspends the request, and again.
Python's standard library only.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from check_calls import ABP, BUNDLES, FIXTURES, PAGE, WRITES, Portal, Route  # noqa: E402
from needed import missing  # noqa: E402
from portal import clean_environment  # noqa: E402

TRACE = "wasmtime::runtime::component::concurrent=trace,wasmtime_wasi_http=trace,wasmtime_wasi_io=trace"
FIRST_PIECE = 32 * 1024  # bytes of a streamed body, at least (core/webassembly/serve_request.cpp)
REQUESTS = 2  # of an instance: the store suspends the first
LARGE = 900  # mail object whose template file is streamed
WITH_BODY = [
    Route("/health/live", None, 200),
    Route("/health/ready", None, 200),
    Route("/api/app/nosuch", "client", 404),
    Route(PAGE, None, 401),
    Route(PAGE, "client", 200),
    Route(f"{PAGE}/list-all", "client", 200),
    Route(f"{PAGE}/1", "client", 200),
    Route(f"{PAGE}/10/fichier-modele", "client", 200),
    Route(BUNDLES, "client", 200),
    Route(f"{BUNDLES}/L-2024-0001", "client", 200),
    Route(f"{BUNDLES}/dashboard-list", "administrator", 200),
    Route(f"{ABP}/application-configuration", "client", 200),
    Route("/swagger/v1/swagger.json", None, 200),
    *WRITES,
]
STREAMED = [Route(f"{PAGE}/{LARGE}/fichier-modele", "client", 200), Route(f"{BUNDLES}/dashboard-list", "manager", 200)]
WITHOUT_BODY = [
    Route(PAGE, "client", 304, {"If-None-Match": "*"}),
    Route(PAGE, "client", 200, method="HEAD"),
    Route(f"{BUNDLES}/dashboard-list", "manager", 200, method="HEAD"),
]
EVENTS = re.compile(r"guest_write (?P<write>\d+) to TransmitHandle"
                    r"|: (?P<returned>task\.return for QualifiedThreadId\([^)]*\))"
                    r'|function="(?P<part>\[method\]output-stream\.write)"\}[^\n]*: call\b'
                    r'|function="(?P<set>\[static\]response-outparam\.set)"\}[^\n]*: call\b')


def writes_before_head(trace):
    """Returns the sizes of the writes before the host received the head; None if the trace has no head. For 0.2 the trace has no sizes:
    each write is "?"."""
    # The first thread is the handler's; those of the store, in a composed component, come after it.
    handler = re.search(r"new implicit thread (QualifiedThreadId\([^)]*\))", trace)
    events = list(EVENTS.finditer(trace))
    for i, event in enumerate(events):
        if event["set"] or (handler and event["returned"] == f"task.return for {handler[1]}"):
            return [int(before["write"]) if before["write"] else "?" for before in events[:i] if before["write"] or before["part"]]
    return None


def yields(trace):
    """Returns how often the handler yields to the host."""
    handler = re.search(r"new implicit thread (QualifiedThreadId\([^)]*\))", trace)
    return len(re.findall(rf"received callback code from {re.escape(handler[1])}: 1\b", trace)) if handler else 0


def import_portal(options, folder):
    """Imports the sample, and a mail object whose template file is streamed."""
    (folder / "grand.txt").write_text("Un grand modèle.\n" * 30_000)
    shutil.copytree(FIXTURES.parent / "modeles", folder / "modeles")
    first = '"objetsCourrier":['
    sample = FIXTURES.read_text()
    if first not in sample:
        raise RuntimeError(f"{FIXTURES} has no {first}")
    (folder / "portail.json").write_text(sample.replace(first, first + json.dumps({
        "id": LARGE, "typeObjet": "GRAND_MODELE", "description": "Un grand modèle", "utilisablePourLiasse": False,
        "typeAffectation": "Optionnel",
        "fichierModele": {"nomFichier": "grand.txt", "chemin": "grand.txt", "type": "text/plain"}}) + ",", 1))
    done = subprocess.run([options.portail, "import", "--store", f"dir:{folder}/store", folder / "portail.json"],
                          capture_output=True, text=True, env=clean_environment())
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def is_good(routes, body, written):
    if written is None:
        return False
    if routes is WITHOUT_BODY:
        return not body and all(size == 1 for size in written)  # 1: a future's value
    if routes is WITH_BODY:
        return bool(body) and (len(body) in written or "?" in written)
    return len(body) > FIRST_PIECE and any(size == "?" or size >= FIRST_PIECE for size in written)


def checks(portal, expected_yields):
    for routes in (WITH_BODY, STREAMED, WITHOUT_BODY):
        for route in routes:
            with portal.serve(REQUESTS, log=TRACE) as server:
                for attempt in range(1, REQUESTS + 1):
                    offset = len(server.output())
                    status, _, body = server.ask(route.target, {**portal.headers[route.persona], **route.headers}, route.method,
                                                 route.body)
                    trace = server.output()[offset:]
                    written = writes_before_head(trace)
                    if route.target == PAGE and route.status == 200 and route.method == "GET":
                        yield yields(trace) == expected_yields, f"{route}, request {attempt}: {yields(trace)} yields of the host"
                    yield (status == route.status and is_good(routes, body, written),
                           f"{route}, request {attempt}: {status}, {len(body)} bytes, written before the head: {written}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("portail", help="the native program")
    parser.add_argument("wasmtime")
    parser.add_argument("component")
    parser.add_argument("--mount", default="/data", help="the path of the store inside the component or its composed host")
    parser.add_argument("--yields", type=int, default=0, help="of an answer with values of the store")
    options = parser.parse_args()
    if missing(options.portail, options.wasmtime, options.component, made_by="edge --test"):
        return 1
    failed = passed = 0
    with tempfile.TemporaryDirectory(prefix="portail-first-bytes-") as name:
        folder = pathlib.Path(name)
        import_portal(options, folder)
        for good, what in checks(Portal(options, folder, "HS256"), options.yields):
            failed, passed = failed + (not good), passed + good
            print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
