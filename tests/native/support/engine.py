"""A server that keeps a store: of a test's own, on a free port of the loopback. Standard library only."""

import signal
import socket
import subprocess
import tempfile


def free_port():
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Engine:
    """Answers once it is made; `settings` as on its command line. Each kind has a `command` that starts it, and says what is in
    the line of its output that tells that it is `ready`."""

    stopping = signal.SIGKILL

    def __init__(self, *settings):
        self.settings = settings
        self.folder = tempfile.TemporaryDirectory(prefix="portail-engine-")
        self.process = None
        self.prepare()
        for _ in range(5):  # another program may take the port first
            self.port = free_port()
            if self.start():
                return
        raise AssertionError(f"{type(self).__name__} does not start")

    def prepare(self):
        """What has to be done once, before its first start."""

    def start(self):
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if self.ready in line:
                return True
        self.stop()
        return False

    def stop(self):
        """At once, as if it had crashed."""
        if self.process:
            if self.process.poll() is None:
                self.process.send_signal(self.stopping)
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()
