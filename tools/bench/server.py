#!/usr/bin/env python3
"""Measures `portail serve` against constant_server, which answers the same bytes with cpp-httplib and does nothing else.

    tools/bench/server.py [--build build] [--rounds 7] [--seconds 2]

The page of ten mail objects of the sample portal, over LMDB, with a valid token. In each round both servers are
measured in turn (A B A B …) with wrk at 16 and 64 connections, over plain HTTP and TLS on loopback; what is printed is
the ratio of the medians. Absolute numbers are this machine's, wrk shares its processors, and mean nothing elsewhere.
"""

import argparse
import http.client
import os
import re
import ssl
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = "/api/app/objet-courrier"
ISSUER, AUDIENCE = "https://bench.invalid", "portail"
WORKERS = 64
CONNECTIONS = (16, 64)
# What a host writes by itself.
FRAMING = {"date", "content-length", "connection", "keep-alive", "transfer-encoding"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Server:
    """A server that prints a line with its port once it listens."""

    def __init__(self, command, tls):
        self.tls = tls
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        port = re.search(r"(\d+)\s*$", line)
        if not port:
            sys.exit(f"{command[0]} did not start")
        self.port = int(port[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def get(self, headers, target=TARGET):
        if self.tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.getheaders(), body

    def measure(self, connections, seconds, headers, target=TARGET):
        """Requests a second, and the median and 99th percentile of the latency in microseconds."""
        scheme = "https" if self.tls else "http"
        fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
        report = run("wrk", "--latency", "-t", "2", "-c", str(connections), "-d", f"{seconds}s", *fields,
                     f"{scheme}://127.0.0.1:{self.port}{target}")
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", report)
        if failed:
            sys.exit(f"wrk: {failed[0]}")
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", report)[1])
        return rate, percentile(report, 50), percentile(report, 99)


def percentile(report, number):
    value, unit = re.search(rf"^\s+{number}%\s+([\d.]+)(us|ms|s)", report, re.MULTILINE).groups()
    return float(value) * {"us": 1, "ms": 1e3, "s": 1e6}[unit]


def make_keys(portail, folder, algorithm):
    private, public = f"{folder}/{algorithm}.json", f"{folder}/{algorithm}-public.json"
    run(portail, "keys", "make", "--alg", algorithm, "--output", private)
    run(portail, "keys", "public", "--input", private, "--output", public)
    token = run(portail, "token", "--keys", private, "--issuer", ISSUER, "--audience", AUDIENCE, "--subject",
                "sub-client-1", "--lifetime", "86400").strip()
    return public, token


def tls_flags(folder):
    return ["--tls-cert", f"{folder}/certificate.pem", "--tls-key", f"{folder}/key.pem"]


def compare(options, folder, portail, algorithm, keys, token, tls):
    """A line of the table for each number of connections."""
    headers = {"Authorization": f"Bearer {token}"}
    security = tls_flags(folder) if tls else ["--insecure-http", "--transport", "loopback"]
    ours = [portail, "serve", "--store", f"lmdb:{folder}/data", "--listen", "127.0.0.1:0", "--issuer", ISSUER,
            "--audience", AUDIENCE, "--jwks", keys, "--workers", str(WORKERS), *options.flag, *security]
    with Server(ours, tls) as server:
        status, fields, body = server.get(headers)
        if status != 200:
            sys.exit(f"portail answered {status}: {body}")
        with open(f"{folder}/body", "wb") as file:
            file.write(body)
        with open(f"{folder}/headers", "w") as file:
            file.writelines(f"{name}: {value}\n" for name, value in fields if name.lower() not in FRAMING)
        constant = [f"{options.build}/tools/bench/constant_server", "--headers", f"{folder}/headers", "--body",
                    f"{folder}/body", "--workers", str(WORKERS), *(tls_flags(folder) if tls else [])]
        with Server(constant, tls) as other:
            if other.get(headers)[2] != body:
                sys.exit("the constant server answers something else")
            for connections in CONNECTIONS:
                rounds = [(server.measure(connections, options.seconds, headers),
                           other.measure(connections, options.seconds, headers)) for _ in range(options.rounds)]
                print_line(algorithm, tls, connections, rounds)


def print_line(algorithm, tls, connections, rounds):
    ours = [statistics.median(column) for column in zip(*(pair[0] for pair in rounds))]
    others = [statistics.median(column) for column in zip(*(pair[1] for pair in rounds))]
    rate, middle, late = (mine / theirs for mine, theirs in zip(ours, others))
    print(f"{'TLS' if tls else 'HTTP':5} {algorithm:6} {connections:11} {rate:10.2f} {middle:14.2f} {late:12.2f}"
          f"   {ours[0]:8.0f} : {others[0]:8.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where the programs were built")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--flag", action="append", default=[], help="one more flag for portail serve; repeatable")
    options = parser.parse_args()
    portail = f"{options.build}/native/portail"
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "365",
            "-subj", "/CN=portail.bench", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem")
        run(portail, "import", "--store", f"lmdb:{folder}/data", f"{ROOT}/fixtures/portail.json")
        print(f"portail : constant server, medians of {options.rounds} rounds, interleaved; the page of ten mail objects\n")
        print("over  token  connections requests/s latency median latency p99   requests/s here")
        for algorithm in ("HS256", "EdDSA"):
            keys, token = make_keys(portail, folder, algorithm)
            for tls in (False, True):
                compare(options, folder, portail, algorithm, keys, token, tls)


if __name__ == "__main__":
    main()
