"""An nginx that a test starts, with native/nginx/portail.conf, in front of servers on this machine. Standard library only."""

import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess

from support.engine import free_port
from support.program import PATIENCE, Connection, until

CONFIGURATION = pathlib.Path(__file__).resolve().parents[3] / "native" / "nginx" / "portail.conf"
# What the main file of many installations has.
COMPRESSION = "gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;"
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class NamedConnection(Connection):
    """A connection that sends the server's name (SNI) in its TLS handshake: nginx serves no other name."""

    def __init__(self, port, name, address="127.0.0.1"):
        super().__init__(port, tls=False, address=address)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.reader.close()
        self.socket = context.wrap_socket(self.socket, server_hostname=name)
        self.reader = self.socket.makefile("rb")


class Nginx:
    """Listens inside its `with` block. `ports`: those of the upstream servers. `rate`: requests a second of one address, by default the
    file's. `below`: serve under /portail/, as the file's comments describe."""

    def __init__(self, folder, ports, certificate, key, name, rate=None, below=False):
        self.folder, self.name = pathlib.Path(folder), name
        self.folder.mkdir()
        self.port = free_port()
        (self.folder / "nginx.conf").write_text(self.configuration(ports, certificate, key, rate, below))

    @property
    def url(self):
        return f"https://{self.name}:{self.port}"

    def configuration(self, ports, certificate, key, rate, below):
        """Returns portail.conf with this test's ports and certificate."""
        served = CONFIGURATION.read_text()
        changes = [(r"portal\.example", self.name), (r"listen 443 ", f"listen 127.0.0.1:{self.port} "),
                   (r"  server 127\.0\.0\.1:8080(.*;)", "\n".join(f"  server 127.0.0.1:{port}\\1" for port in ports)),
                   (r"/etc/portail/certificate\.pem", str(certificate)), (r"/etc/portail/key\.pem", str(key))]
        if rate:
            changes += [(r"rate=50r/s", f"rate={rate}r/s"), (r"limit_conn portail_connections \d+", f"limit_conn portail_connections 10000")]
        if below:
            changes.append((r"(?m)^.*\n *# below: (.*)$", r"\1"))
        for pattern, ours in changes:
            served, count = re.subn(pattern, ours, served)
            assert count > 0, pattern
        temporary = "".join(f"{kind}_temp_path {kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root; " if os.geteuid() == 0 else ""
        return (f"{user}daemon off; pid pid; worker_processes 1; error_log log; events {{}}\n"
                f"http {{ access_log off; {temporary} {COMPRESSION}\n{served}\n}}\n")

    def __enter__(self):
        self.process = subprocess.Popen([PROGRAM, "-p", self.folder, "-e", "log", "-c", "nginx.conf"])
        try:
            until(self.listens, "nginx to listen")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def connect(self, address="127.0.0.1"):
        """Connects from the given source address."""
        return NamedConnection(self.port, self.name, address)

    def ask(self, method, target, headers=(), body=b""):
        with self.connect() as connection:
            return connection.request(method, target, headers, body)

    def listens(self):
        if self.process.poll() is not None:
            raise AssertionError((self.folder / "log").read_text())
        try:
            self.connect().close()
            return True
        except OSError:
            return False

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(PATIENCE)
