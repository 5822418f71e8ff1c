"""The servers that the benchmarks compare, and wrk, which loads them. Standard library only."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ISSUER, AUDIENCE = "https://bench.invalid", "portail"
UNKNOWN = "/api/app/unknown"  # answered with 404
TICKS = os.sysconf("SC_CLK_TCK")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
# Headers that a host adds by itself.
FRAMING = {"date", "server", "content-length", "connection", "keep-alive", "transfer-encoding"}

sys.path.insert(0, f"{ROOT}/tests/support")
from serving import Serving, Spin, Viceroy, Wasmtime, free_port  # noqa: E402


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


class Measured:
    """A server whose answers and resources are measured: `process`, its `port`, and whether it has `tls`."""

    def get(self, headers, target):
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

    def measure(self, connections, seconds, headers, target, script=None):
        """Requests per second, and median and 99th percentile of the latency in microseconds. `script` is a Lua script of wrk."""
        scheme = "https" if self.tls else "http"
        fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
        report = run("wrk", "--latency", "--timeout", "10s", "-t", "2", "-c", str(connections), "-d", f"{seconds}s", *fields,
                     *(("-s", script) if script else ()), f"{scheme}://127.0.0.1:{self.port}{target}")
        failed = re.search(r"Socket errors: (.*)" if target == UNKNOWN else r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", report)
        if failed:
            sys.exit(f"{self.process.args}: wrk saw {failed[0]}")
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", report)[1])
        return rate, percentile(report, 50), percentile(report, 99)

    def processor_seconds(self):
        """In user mode and in the kernel, of the process and its direct children."""
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

    def sample(self, connections, seconds, headers, target, script=None):
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


class Host(Serving, Measured):
    """A server that prints its address."""

    tls = False
    stop_signal = signal.SIGTERM

    def __init__(self, command, folder, environment):
        self.file = tempfile.NamedTemporaryFile()
        super().__init__(command, self.file.name, environment, folder)
        self.wait_for_address()


class Component(Wasmtime, Measured):
    """`wasmtime serve` with a component, and the store's directory mounted."""

    tls = False

    def __init__(self, wasmtime, component, store, settings, flags):
        self.file = tempfile.NamedTemporaryFile()
        # Backtraces would make failed host calls slower than in production.
        inherited = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
        super().__init__(wasmtime, component, self.file.name, *flags, "--dir", f"{store}::/data", settings=settings, environment=inherited)
        self.wait_for_address()


class SpinHost(Spin, Measured):
    """A component of Spin over SQLite."""

    tls = False

    def __init__(self, spin, manifest, folder, values, settings):
        super().__init__(spin, manifest, f"{folder}/spin.log", values, settings)
        self.wait_for_address()


class FastlyHost(Viceroy, Measured):
    """A module of Fastly Compute under Viceroy, and the store's directory as its KV store."""

    tls = False

    def __init__(self, viceroy, module, folder, store, settings):
        values = [file for file in pathlib.Path(store).iterdir() if file.is_file()]
        super().__init__(viceroy, module, f"{folder}/{pathlib.Path(module).stem}.log", {"portail": settings}, values=values)
        self.wait_for_address()
