#!/usr/bin/env python3
"""Compares `portail serve` with nginx, which only sends the same bytes and headers.

    tools/bench/server.py [--build build] [--rounds 7] [--seconds 2] [--beside OTHER/portail]

The page of ten mail objects of the sample portal, with LMDB, a valid token and the default settings of `portail serve`. In each
round all servers are measured in turn (A B C A B C …) with wrk at 16 and 64 connections, over plain HTTP and TLS on loopback.
Prints ratios of medians, portail : the other. Absolute numbers apply to this machine only, whose processors wrk shares. --beside
adds another build of portail, such as the one before a change.
"""

import argparse
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = "/api/app/objet-courrier"
ISSUER, AUDIENCE = "https://bench.invalid", "portail"
CONNECTIONS = (16, 64)
TICKS = os.sysconf("SC_CLK_TCK")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# Headers that a host adds by itself.
FRAMING = {"date", "content-length", "connection", "keep-alive", "transfer-encoding"}

sys.path.insert(0, f"{ROOT}/tests/support")
from serving import free_port  # noqa: E402


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Measured:
    """A server whose answers and resources are measured: `process`, its `port`, and whether it has `tls`."""

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

    def measure(self, connections, seconds, headers, target=TARGET, script=None):
        """Requests per second, and median and 99th percentile of the latency in microseconds. `script` is a Lua script of wrk."""
        scheme = "https" if self.tls else "http"
        fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
        report = run("wrk", "--latency", "--timeout", "10s", "-t", "2", "-c", str(connections), "-d", f"{seconds}s", *fields,
                     *(("-s", script) if script else ()), f"{scheme}://127.0.0.1:{self.port}{target}")
        failed = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", report)
        if failed:
            sys.exit(f"{self.process.args}: wrk saw {failed[0]}")
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", report)[1])
        return rate, percentile(report, 50), percentile(report, 99)

    def processor_seconds(self):
        """In user mode and in the kernel, of all its threads and processes."""
        parents = {}
        seconds = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            parents[int(stat.parent.name)] = int(fields[1])
            seconds[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / TICKS
        return sum(spent for process, spent in seconds.items() if self.process.pid in (process, parents[process]))

    def sample(self, connections, seconds, headers, target=TARGET, script=None):
        """The results of measure(), and the processor time per request in microseconds."""
        before = self.processor_seconds()
        rate, middle, late = self.measure(connections, seconds, headers, target, script)
        return rate, middle, late, (self.processor_seconds() - before) / (rate * seconds) * 1e6

    def memory(self, name="VmRSS"):
        """A line of the status of the process and of its children, in MiB."""
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()
        children = [child for task in tasks for child in (task / "children").read_text().split()]
        statuses = [pathlib.Path(f"/proc/{process}/status").read_text() for process in (self.process.pid, *children)]
        return sum(int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1]) for status in statuses) / 1024


class Server(Measured):
    """A server that prints a line with its port once it listens. Its log is discarded, so that it costs nothing."""

    def __init__(self, command, tls):
        self.tls = tls
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = self.find_port(command)

    def find_port(self, command):
        port = re.search(r"(\d+)\s*$", self.process.stdout.readline())
        if not port:
            sys.exit(f"{command[0]} did not start")
        return int(port[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Nginx(Server):
    """nginx with a worker per processor, without logs, which answers all requests with `body` and `fields`."""

    def __init__(self, folder, body, fields, tls):
        if not NGINX:
            sys.exit("nginx (package nginx-light) is not installed")
        self.port = free_port()
        file = pathlib.Path(folder) / "nginx.conf"
        file.write_text(nginx_configuration(folder, self.port, body, fields, tls))
        super().__init__([NGINX, "-p", folder, "-e", "stderr", "-c", str(file)], tls)

    def find_port(self, command):
        for _ in range(1000):
            if self.process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self.port
            time.sleep(0.01)
        sys.exit(f"{command[0]} did not start")


def nginx_configuration(folder, port, body, fields, tls):
    if "$" in body.decode():
        sys.exit("the answer has a '$', which nginx would replace")

    def quoted(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    temporary = "".join(f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    added = "".join(f"add_header {name} {quoted(value)};" for name, value in fields if name != "Content-Type")
    content_type = next(value for name, value in fields if name == "Content-Type")
    security = f"ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;" if tls else ""
    return f"""{"user root;" if os.geteuid() == 0 else ""} daemon off; pid nginx.pid; worker_processes auto; error_log stderr;
events {{}}
http {{
  access_log off; server_tokens off; keepalive_requests 1000000000; default_type {quoted(content_type)}; {temporary}
  server {{
    listen 127.0.0.1:{port}{" ssl" if tls else ""}; {security}
    location / {{ {added} return 200 {quoted(body.decode())}; }}
  }}
}}
"""


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


def make_certificate(folder):
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "365",
        "-subj", "/CN=portail.bench", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem")


def tls_flags(folder):
    return ["--tls-cert", f"{folder}/certificate.pem", "--tls-key", f"{folder}/key.pem"]


def compare(options, folder, portail, algorithm, keys, token, tls):
    """Prints a line of the table for each number of connections and other server."""
    headers = {"Authorization": f"Bearer {token}"}
    security = tls_flags(folder) if tls else ["--insecure-http", "--transport", "loopback"]
    flags = ["serve", "--store", f"lmdb:{folder}/data", "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--audience",
             AUDIENCE, "--jwks", keys, *options.flag, *security]
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(Server([portail, *flags], tls))
        status, fields, body = ours.get(headers)
        if status != 200:
            sys.exit(f"portail answered {status}: {body}")
        fields = [(name, value) for name, value in fields if name.lower() not in FRAMING]
        others = {"nginx": Nginx(folder, body, fields, tls)}
        if options.beside:
            others["beside"] = Server([options.beside, *flags], tls)
        for name, other in others.items():
            stack.enter_context(other)
            if other.get(headers)[2] != body:
                sys.exit(f"{name} answers differently")
        for connections in CONNECTIONS:
            rounds = [[server.sample(connections, options.seconds, headers) for server in (ours, *others.values())]
                      for _ in range(options.rounds)]
            mine, *theirs = [[statistics.median(column) for column in zip(*samples)] for samples in zip(*rounds)]
            for name, other in zip(others, theirs):
                print_line(algorithm, tls, connections, name, mine, other)


def print_line(algorithm, tls, connections, name, mine, other):
    rate, middle, late, processor = (one / two for one, two in zip(mine, other))
    print(f"{'TLS' if tls else 'HTTP':5} {algorithm:6} {connections:11} {name:9} {rate:10.2f} {middle:14.2f} {late:11.2f} {processor:14.2f}"
          f"   {mine[0]:8.0f} : {other[0]:8.0f} {mine[3]:6.1f} : {other[3]:6.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build directory")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--only", choices=("HS256", "EdDSA"), nargs="+", default=["HS256", "EdDSA"], help="only these tokens")
    parser.add_argument("--over", choices=("http", "tls"), nargs="+", default=["http", "tls"], help="only these")
    parser.add_argument("--beside", help="another build of portail to compare with")
    parser.add_argument("--flag", action="append", default=[], help="one more flag for portail serve; repeatable")
    options = parser.parse_args()
    portail = f"{options.build}/native/portail"
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        make_certificate(folder)
        run(portail, "import", "--store", f"lmdb:{folder}/data", f"{ROOT}/fixtures/portail.json")
        print(f"portail : the other, medians of {options.rounds} rounds, in turn; the page of ten mail objects\n")
        print("over  token  connections other     requests/s latency median latency p99 processor time   "
              "requests/s here, us of processor time for one")
        for algorithm in options.only:
            keys, token = make_keys(portail, folder, algorithm)
            for over in options.over:
                compare(options, folder, portail, algorithm, keys, token, over == "tls")


if __name__ == "__main__":
    main()
