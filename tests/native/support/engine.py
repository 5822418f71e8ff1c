"""A server that keeps a store: of a test's own, on a free port of the loopback. Standard library only."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading


def free_port():
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Engine:
    """Answers once it is made; `settings` as on its command line. Each kind has a `command` that starts it, and says what is in
    the line of its output that tells that it is `ready`, and its address at a port (`url_at`)."""

    stopping = signal.SIGKILL

    def __init__(self, *settings):
        self.settings = settings
        self.folder = tempfile.TemporaryDirectory(prefix="portail-engine-")
        self.process, self.rest = None, None
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
                self.rest = threading.Thread(target=self.process.stdout.read, daemon=True)  # so that it never waits for a reader
                self.rest.start()
                return True
        self.stop()
        return False

    def stop(self):
        """Immediately, like a crash."""
        if self.process:
            if self.process.poll() is None:
                processes = self.processes()
                self.process.send_signal(self.stopping)
                for number in processes:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGCONT)  # it may be frozen
            self.process.wait()
            if self.rest:
                self.rest.join()
            self.process.stdout.close()
            self.process, self.rest = None, None

    @property
    def url(self):
        return self.url_at(self.port)

    def processes(self):
        """Its own, before those that it has made."""
        found = [self.process.pid]
        for number in found:
            with contextlib.suppress(OSError):  # it has ended
                found += map(int, pathlib.Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split())
        return found

    def freeze(self):
        """It stays as it is, and so do its connections."""
        self.process.send_signal(signal.SIGSTOP)  # and makes no other processes
        for number in self.processes()[1:]:
            os.kill(number, signal.SIGSTOP)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()
