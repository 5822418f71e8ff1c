#!/usr/bin/env python3
"""Tests the adapter with the example component in one instance, under tight limits.

100,000 requests in 6 MiB of memory and with few handles: a leak of 60 bytes or one handle for each request, or of a body, ends it. Slow
concurrent bodies, and incomplete ones; clients that disconnect or do not read. Python's standard library only.
"""

import argparse
import pathlib
import re
import signal
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from needed import missing  # noqa: E402
from serving import Wasmtime  # noqa: E402

REQUESTS = 100_000
MEMORY = 6 * 1024 * 1024
CONNECTIONS = 8
HELLO = b"Hello from C++\n"
ONE_INSTANCE = ["-S", "max-component-handles=2000", "-S", "max-resources=2000", "-W", f"max-memory-size={MEMORY}",
                "--max-instance-reuse-count", "1000000000", "--max-instance-concurrent-reuse-count", "64", "--idle-instance-timeout", "600s"]


def read_answer(connection):
    """Returns status and body of one answer with Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
    head, body = data.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE).group(1))
    while len(body) < length:
        body += receive(connection)
    return int(head.split()[1]), body


def receive(connection):
    data = connection.recv(65536)
    if not data:
        raise RuntimeError("the connection was closed without an answer")
    return data


def expect(what, actual, expected):
    if actual != expected:
        raise RuntimeError(f"{what}: {actual!r}, not {expected!r}")


def many_requests(host):
    failures = []
    body = b"x" * 16_000

    def run():
        try:
            with host.connect() as connection:
                for number in range(REQUESTS // CONNECTIONS):
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nX-Some: header\r\n\r\n")
                    expect("hello", read_answer(connection), (200, HELLO))
                    if number % 8 == 0:
                        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 16000\r\n\r\n" + body)
                        expect("echo", read_answer(connection), (200, body))
        except (RuntimeError, OSError) as error:
            failures.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError("; ".join(failures))


def slow_bodies_at_the_same_time(host):
    """Ten bodies, one byte of each in turn: one instance reads all of them concurrently."""
    connections = [host.connect() for _ in range(10)]
    for connection in connections:
        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
    for byte in b"abcde":
        for connection in connections:
            connection.sendall(bytes([byte]))
    for connection in connections:
        expect("echo", read_answer(connection), (200, b"abcde"))
        connection.close()


def bodies_of_any_size(host):
    """Sequential bodies of one connection."""
    with host.connect() as connection:
        for size in (0, 1, 16 * 1024, 16 * 1024 + 1, 300_000):
            body = bytes(range(256)) * (size // 256 + 1)
            connection.sendall(b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % size + body[:size])
            expected = (200, body[:size]) if size else (404, b"There is nothing here\n")
            expect(f"echo of {size} bytes", read_answer(connection), expected)
        connection.sendall(b"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
        expect("echo of chunks", read_answer(connection), (200, b"abcdefg"))


def bodies_that_end_early(host):
    """A client stops sending within its body, or violates the framing, but still reads: the body is not answered as if it were complete."""
    for framing, sent in ((b"Content-Length: 1000", b"half"), (b"Transfer-Encoding: chunked", b"4\r\nhalf\r\n"),
                          (b"Transfer-Encoding: chunked", b"4\r\nhalf\r\nbroken\r\n")):
        with host.connect() as connection:
            connection.sendall(b"POST /echo HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n%s" % (framing, sent))
            connection.shutdown(socket.SHUT_WR)
            expect(f"echo of {sent}", read_answer(connection), (500, b""))


def bodies_that_are_not_read(host):
    """The component answers before a body of 1 MiB and does not read it: the answer arrives, and the connection continues."""
    with host.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1_000_000)
        for _ in range(2):
            expect("hello", read_answer(connection), (200, HELLO))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")


def clients_that_go_away(host):
    """Clients disconnect before the body, within it, and before the answer. The instance continues to serve."""
    for sent in (b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n",
                 b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n" + b"x" * 500,
                 b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n\r\n" + b"x" * 20000):
        for _ in range(50):
            with host.connect() as connection:
                connection.sendall(sent)
    with host.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        expect("hello after the clients went", read_answer(connection), (200, HELLO))


def clients_that_do_not_read(host):
    """Clients send requests until the host stops reading, and disconnect: their pending answers end. The instance continues to serve."""
    request = b"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 16000\r\n\r\n" + b"x" * 16000
    connections = [host.connect() for _ in range(5)]
    for connection in connections:
        connection.settimeout(1)
        sent = 0
        try:
            while sent < 64 * 1024 * 1024:
                sent += connection.send(request)
            raise RuntimeError("the host takes requests without end")
        except TimeoutError:
            pass
    for connection in connections:
        connection.close()
    with host.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        expect("hello after the clients went", read_answer(connection), (200, HELLO))


def head_has_no_body(host):
    with host.connect() as connection:
        connection.sendall(b"HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
        data = b""
        while not data.endswith(HELLO):
            data += receive(connection)
        expect("bodies after HEAD and GET", data.count(HELLO), 1)
        expect("lengths after HEAD and GET", data.lower().count(b"content-length: 15"), 2)


def first_fault(host):
    for check in (head_has_no_body, bodies_of_any_size, slow_bodies_at_the_same_time, bodies_that_end_early,
                  bodies_that_are_not_read, clients_that_go_away, clients_that_do_not_read, many_requests):
        began = time.monotonic()
        try:
            check(host)
        except (RuntimeError, OSError) as error:
            return f"{check.__name__}: {error}"
        print(f"{check.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--component", required=True, help="hello-p2.wasm or hello-p3.wasm")
    parser.add_argument("--wasmtime", required=True)
    arguments = parser.parse_args()
    if missing(arguments.wasmtime, arguments.component, made_by="edge --test"):
        return 1

    with tempfile.TemporaryDirectory(prefix="portail-adapter-") as folder:
        with Wasmtime(arguments.wasmtime, arguments.component, pathlib.Path(folder) / "log", *ONE_INSTANCE) as host:
            fault = first_fault(host)
            host.stop(signal.SIGKILL)  # otherwise it waits for answers that are not read
        output = host.output()
    if not fault and re.search(r"wasm trap|wasm backtrace|panicked", output):
        fault = "the host complained"
    if fault:
        print(f"FAILED: {fault}\n" + output.replace("error: hyper::Error(IncompleteMessage)\n", "")[:6000])
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
