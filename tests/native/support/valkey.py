"""A Valkey server of a test's own, on a free port of the loopback, that keeps nothing on disk. Standard library only."""

import socket
import subprocess
import tempfile


def free_port():
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Valkey:
    """Answers once it is made; `settings` as on its command line."""

    def __init__(self, *settings):
        self.settings = settings
        self.folder = tempfile.TemporaryDirectory(prefix="portail-valkey-")
        self.process = None
        for _ in range(5):  # another program may take the port first
            self.port = free_port()
            if self.start():
                return
        raise AssertionError("valkey-server does not start")

    def start(self):
        self.process = subprocess.Popen(
            ["valkey-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder.name, "--save", "",
             *self.settings], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "Ready to accept connections" in line:
                return True
        self.stop()
        return False

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def cli(self, *arguments):
        """What valkey-cli prints, without the last line end."""
        done = subprocess.run(["valkey-cli", "-p", str(self.port), *arguments], capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")
