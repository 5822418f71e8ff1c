#!/usr/bin/env python3
"""Measures the memory of many connections to `portail serve`, and the latency of one more client.

    tools/bench/connections.py [--build build] [--idle 5000] [--busy 500] [--seconds 8]

With and without TLS, with LMDB and the sample portal, with default settings except --max-connections-per-address (all
clients are on this machine). Opens idle connections, each of which sends a request every 8 s; then busy ones, which
request the page of ten mail objects continuously (wrk); then one more client (wrk with one connection). Prints the
server's resident memory and that client's latency. Clients and server share the processors.
"""

import argparse
import os
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from server import AUDIENCE, ISSUER, ROOT, TARGET, Server, make_certificate, make_keys, percentile, run, tls_flags

PAUSE = 8  # the server ends a connection after 15 s without a request


class Idle:
    """Connections that send a small request now and then, until close()."""

    def __init__(self, server, count):
        self.request = b"GET /health/live HTTP/1.1\r\nHost: bench\r\n\r\n"
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.server, self.stopped = server, threading.Event()
        self.sockets, self.lost = [], 0
        self.opened = threading.Event()
        self.thread = threading.Thread(target=self.run, args=[count])
        self.thread.start()
        self.opened.wait()

    def open(self):
        while True:
            connected = socket.create_connection(("127.0.0.1", self.server.port))
            if not self.server.tls:
                return connected
            try:
                return self.context.wrap_socket(connected)
            except ssl.SSLEOFError:
                connected.close()  # a busy machine: the handshake was shed

    def request_once(self, each):
        try:
            each.sendall(self.request)
            self.lost += not each.recv(4096).startswith(b"HTTP/1.1 200")
        except OSError:
            self.lost += 1

    def run(self, count):
        last_requests = []
        while len(self.sockets) < count:
            self.sockets.append(self.open())
            self.request_once(self.sockets[-1])
            last_requests.append(time.monotonic())
            if len(last_requests) % 100 == 0:
                self.send_due_requests(last_requests)  # the first ones are due while others are still being opened
        self.opened.set()
        while not self.stopped.is_set():
            self.send_due_requests(last_requests)
            time.sleep(0.05)

    def send_due_requests(self, last_requests):
        now = time.monotonic()
        for at, each in enumerate(self.sockets):
            if now - last_requests[at] > PAUSE:
                self.request_once(each)
                last_requests[at] = time.monotonic()

    def close(self):
        self.stopped.set()
        self.thread.join()
        for each in self.sockets:
            each.close()


def wrk(server, connections, threads, seconds, headers):
    scheme = "https" if server.tls else "http"
    return subprocess.Popen(["wrk", "--latency", "-t", str(threads), "-c", str(connections), "-d", f"{seconds}s",
                             *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}")),
                             f"{scheme}://127.0.0.1:{server.port}{TARGET}"], stdout=subprocess.PIPE, text=True)


def latency(report):
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", report)
    return (f"p50 {percentile(report, 50) / 1e3:.1f} ms, p99 {percentile(report, 99) / 1e3:.1f} ms, "
            f"{re.search(r'(\d+) requests in', report)[1]} answers, {bad[1] if bad else 0} of them not 200")


def measure(options, folder, portail, keys, headers, tls):
    security = tls_flags(folder) if tls else ["--insecure-http", "--transport", "loopback"]
    command = [portail, "serve", "--store", f"lmdb:{folder}/data", "--listen", "127.0.0.1:0", "--issuer", ISSUER,
               "--audience", AUDIENCE, "--jwks", keys, "--no-access-log", "--max-connections-per-address", "100000",
               *options.flag, *security]
    print(f"\n{'TLS' if tls else 'HTTP'}")
    with Server(command, tls) as server:
        server.get(headers)
        before = server.memory()
        idle = Idle(server, options.idle)
        with_idle = server.memory()
        print(f"{options.idle} idle connections: {before:.0f} -> {with_idle:.0f} MiB, "
              f"{(with_idle - before) * 1024 / options.idle:.1f} KiB each")
        alone = wrk(server, 1, 1, 3, headers).communicate()[0]
        print("one client in addition to the idle ones: " + latency(alone))
        busy = wrk(server, options.busy, 2, options.seconds, headers)
        time.sleep(1)
        healthy = wrk(server, 1, 1, options.seconds - 2, headers).communicate()[0]
        report = busy.communicate()[0]
        print(f"{options.busy} busy ones as well: {server.memory('VmHWM'):.0f} MiB at most; " + latency(report))
        print("one client in addition to all: " + latency(healthy), flush=True)
        idle.close()
        if idle.lost:
            print(f"{idle.lost} answers to idle connections were missing")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build directory")
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--busy", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--flag", action="append", default=[], help="one more flag for portail serve; repeatable")
    options = parser.parse_args()
    portail = f"{options.build}/native/portail"
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        make_certificate(folder)
        run(portail, "import", "--store", f"lmdb:{folder}/data", f"{ROOT}/fixtures/portail.json")
        keys, token = make_keys(portail, folder, "EdDSA")
        for tls in (False, True):
            measure(options, folder, portail, keys, {"Authorization": f"Bearer {token}"}, tls)


if __name__ == "__main__":
    main()
