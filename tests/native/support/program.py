"""Starts the program in a temporary directory and sends requests to it over a raw socket. Standard library only."""

import json
import os
import re
import select
import shutil
import signal
import socket
import ssl
import pathlib
import pty
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from portal import bundle, clean_environment, small_portal  # noqa: E402, F401
from revision import Revision  # noqa: E402, F401
from serving import Running, Serving, free_port, slow_client  # noqa: E402, F401
from waiting import PATIENCE, STALL, until  # noqa: E402, F401
from workers import Worker  # noqa: E402, F401

PROGRAM = os.environ["TEST_PROGRAM"]
ISSUER = "https://issuer.test"
AUDIENCE = "portail"


def run(*arguments, stdin="", environment=None, **options):
    """Runs the program to its end."""
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=PATIENCE,
                          env=clean_environment() | (environment or {}), **options)


def must_run(*arguments, **options):
    """Runs the program, which must succeed; returns its standard output."""
    done = run(*arguments, **options)
    if done.returncode != 0:
        raise AssertionError(f"{done.args}: {done.stderr}")
    return done.stdout


def on_terminal(*arguments, environment=None):
    """Runs the program with standard output and standard error on one terminal; returns what it writes."""
    master, terminal = pty.openpty()
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                          env=clean_environment() | (environment or {})) as process:
        os.close(terminal)
        written = b""
        while True:
            try:
                more = os.read(master, 65536)
            except OSError:  # the terminal is closed
                more = b""
            if not more:
                break
            written += more
        process.wait(PATIENCE)
    os.close(master)
    return written.decode()


def may_trace():
    return shutil.which("strace") and subprocess.run(["strace", "-q", "true"], capture_output=True).returncode == 0


needs_strace = unittest.skipUnless(may_trace(), "strace is missing, or may not trace here")


class Answer:
    """An HTTP answer."""

    def __init__(self, status, headers, body, raw_head):
        self.status, self.headers, self.body, self.raw_head = status, headers, body, raw_head

    def __getitem__(self, name):
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    def json(self):
        return json.loads(self.body)


class Connection:
    """A client connection that sends the given bytes unchanged."""

    def __init__(self, port, tls=True, address="127.0.0.1"):
        """Connects from the source address `address`."""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(address, 0))
        if self.socket.getsockname() == self.socket.getpeername():  # no server listens, and the kernel chose the same port for this side
            self.socket.close()
            raise ConnectionRefusedError(f"port {port} is connected to itself")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self.socket = context.wrap_socket(self.socket)
        self.reader = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.reader.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def request(self, method, target, headers=(), body=b"", **options):
        lines = [f"{method} {target} HTTP/1.1", "Host: portail.test", *[f"{name}: {value}" for name, value in headers]]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return self.read(without_body=method == "HEAD", **options)

    def read(self, without_body=False):
        """Returns the next answer, or None if the connection ends before its first byte."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.reader.readline()
            if not line:
                if head:
                    raise EOFError("the connection ended within a head")
                return None
            head += line
        first, *lines = head.decode("latin-1").split("\r\n")[:-2]
        status = int(first.split()[1])
        headers = [tuple(line.split(": ", 1)) for line in lines]
        answer = Answer(status, headers, b"", head)
        if without_body or status in (204, 304) or status < 200:
            return answer
        if answer["Transfer-Encoding"] == "chunked":
            answer.body = b"".join(self.read_chunks())
        elif answer["Content-Length"] is not None:
            answer.body = self.read_exactly(int(answer["Content-Length"]))
        else:
            answer.body = self.reader.read()
        return answer

    def read_chunks(self):
        while True:
            line = self.reader.readline()
            if not line.endswith(b"\r\n"):
                raise EOFError("the connection ended within a chunk's size")
            size = int(line, 16)
            yield self.read_exactly(size)
            if self.read_exactly(2) != b"\r\n":
                raise ValueError("a chunk without its end")
            if size == 0:
                return

    def read_exactly(self, count):
        data = self.reader.read(count)
        if len(data) != count:
            raise EOFError(f"{len(data)} bytes instead of {count}")
        return data

    def is_ended(self):
        """Waits for a byte or the end of the connection; returns whether it was the end."""
        try:
            return self.reader.read(1) == b""
        except (ConnectionResetError, ssl.SSLError):
            return True


class Server:
    """A running `portail serve`. Its log is written to `log_file`, or to the descriptor `log`. Load shedding is off unless the flags set
    --queue-timeout, so that results do not depend on the machine's speed."""

    command = "serve"

    def __init__(self, folder, *flags, environment=None, tls=True, jwks=None, tracer=(), log=None, address="127.0.0.1",
                 port=0):
        self.tls = tls
        self.log_path = os.path.join(folder, f"log-{time.monotonic_ns()}")
        arguments = [self.command, "--listen", f"{address}:{port}", *self.settings(folder, jwks)]
        if "--queue-timeout" not in flags:
            arguments += ["--queue-timeout", "0"]
        self.log_file = open(self.log_path, "wb")
        self.process = subprocess.Popen([*tracer, PROGRAM, *arguments, *map(str, flags)], stdout=subprocess.PIPE,
                                        stderr=self.log_file if log is None else log, env=clean_environment() | (environment or {}))
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        self.first_line = self.process.stdout.readline().decode() if ready else ""
        found = re.fullmatch(r"portail: listening on (https?)://(\S+):(\d+)(?: \(every address\))?\n", self.first_line)
        if not found:
            self.process.kill()
            raise AssertionError(f"the server did not start: {self.first_line!r} {self.log()}")
        self.scheme, self.address, self.port = found[1], found[2], int(found[3])

    def settings(self, folder, jwks):
        """Returns the flags that every server needs."""
        flags = ["--jwks", jwks or os.path.join(folder, "public.json"), "--issuer", ISSUER, "--audience", AUDIENCE]
        if self.tls:
            flags += ["--tls-cert", os.path.join(folder, "certificate.pem"), "--tls-key", os.path.join(folder, "key.pem")]
        return flags

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log_file.close()
        report = self.log()  # a sanitizer's report fails the test that caused it
        if "Sanitizer" in report or "runtime error:" in report:
            raise AssertionError(report)

    def connect(self):
        return Connection(self.port, self.tls)

    def ask(self, method, target, headers=(), body=b""):
        with self.connect() as connection:
            return connection.request(method, target, headers, body)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def peak_memory(self):
        """Returns the peak resident memory in MiB; 0 under a sanitizer, which keeps freed memory."""
        if os.environ.get("TEST_SANITIZE"):
            return 0
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) // 1024

    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def log_lines(self):
        """Returns the complete lines; an unfinished last line is left out."""
        return [json.loads(line) for line in self.log().split("\n")[:-1]]

    def events(self, name):
        """Returns the lines of that event. The log is written on a thread of its own: wait for a line that a request causes."""
        return [line for line in self.log_lines() if line.get("event") == name]

    def warnings(self):
        return [line for line in self.log_lines() if line["level"] == "warning" and "event" in line]


class PortailTest(unittest.TestCase):
    """Each class has one temporary directory with keys, a certificate and a small document."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-test-"))
        cls.make_keys()
        cls.make_certificate("certificate.pem", "key.pem")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return cls.path(name)

    @classmethod
    def read(cls, name):
        with open(cls.path(name), encoding="utf-8") as file:
            return file.read()

    @classmethod
    def make_keys(cls):
        must_run("keys", "make", "--output", cls.path("keys.json"), "--kid", "test")
        must_run("keys", "public", "--input", cls.path("keys.json"), "--output", cls.path("public.json"))

    @classmethod
    def make_certificate(cls, certificate, key, *times):
        """Creates a certificate for a year, or with the flags `times` of `openssl req`."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        *(times or ("-days", "365")), "-subj", "/CN=portail.test", "-keyout", cls.path(key), "-out",
                        cls.path(certificate)],
                       check=True, capture_output=True)

    @classmethod
    def make_signed_certificate(cls, name, authority, extension="", times=("-days", "2")):
        """Creates NAME.pem and NAME.key, a certificate for two days, or `times`, that AUTHORITY.key signed, with a line of `x509v3_config`."""
        subprocess.run(["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}", "-keyout",
                        cls.path(f"{name}.key"), "-out", cls.path(f"{name}.csr")], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", cls.path(f"{name}.csr"), "-CA", cls.path(f"{authority}.pem"), "-CAkey",
                        cls.path(f"{authority}.key"), *times, "-extfile", cls.write(f"{name}.cnf", extension), "-out", cls.path(f"{name}.pem")],
                       check=True, capture_output=True)

    @classmethod
    def token(cls, subject="sub-client", *flags):
        return must_run("token", "--keys", cls.path("keys.json"), "--issuer", ISSUER, "--audience", AUDIENCE, "--subject", subject,
                        *flags).strip()

    @classmethod
    def bearer(cls, subject="sub-client", *flags):
        return ("Authorization", f"Bearer {cls.token(subject, *flags)}")

    @classmethod
    def accepting(cls, jwks=None):
        """Returns the flags by which `check` or `serve` accepts the tokens of token(), over plain HTTP."""
        return ("--issuer", ISSUER, "--audience", AUDIENCE, "--jwks", jwks or cls.path("public.json"), "--insecure-http")

    @classmethod
    def document(cls, name="portail.json", mail_objects=3, bundles=2, user="sub-client"):
        """Writes the document of small_portal()."""
        return cls.write(name, json.dumps(small_portal(mail_objects, bundles, user), ensure_ascii=False))

    def assert_one_line(self, done, status, *parts):
        """The program ended with `status` and one line on standard error that contains all `parts`."""
        self.assertEqual(done.returncode, status, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("portail: "), lines[0])
        for part in parts:
            self.assertIn(part, lines[0])
