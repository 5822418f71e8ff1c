"""A store's server, started by a test on a free port of the loopback. Standard library only."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading


def free_port():
    """Returns a port that was free when this was called."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def with_descendants(process):
    """Returns the ids of this process and of its descendants, parents first."""
    found = [process]
    for number in found:
        with contextlib.suppress(OSError):  # it has ended
            found += map(int, pathlib.Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split())
    return found


class Engine:
    """A running server, with `settings` on its command line. A subclass defines `command`, the text `ready` of the output line after which
    it answers, and `url_at`, its address at a port."""

    stop_signal = signal.SIGKILL

    def __init__(self, *settings):
        self.settings = settings
        self.folder = tempfile.TemporaryDirectory(prefix="portail-engine-")
        self.process, self.output_reader = None, None
        self.prepare()
        for _ in range(5):  # another program may bind the port first
            self.port = free_port()
            if self.start():
                return
        raise AssertionError(f"{type(self).__name__} does not start")

    def prepare(self):
        """Runs once, before the first start."""

    def start(self):
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if self.ready in line:
                self.output_reader = threading.Thread(target=self.process.stdout.read, daemon=True)  # keeps the pipe from filling up
                self.output_reader.start()
                return True
        self.stop()
        return False

    def stop(self, number=None):
        """Ends the server, by default immediately, as a crash does."""
        if self.process:
            if self.process.poll() is None:
                processes = self.processes()
                self.process.send_signal(number or self.stop_signal)
                for number in processes:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGCONT)  # it may be frozen
            self.process.wait()
            if self.output_reader:
                self.output_reader.join()
            self.process.stdout.close()
            self.process, self.output_reader = None, None

    @property
    def url(self):
        return self.url_at(self.port)

    def processes(self):
        """Returns the ids of the server's process and of its descendants, parents first."""
        return with_descendants(self.process.pid)

    def freeze(self):
        """Stops the server's processes; its connections stay open."""
        self.process.send_signal(signal.SIGSTOP)  # first, so that it starts no other process
        for number in self.processes()[1:]:
            os.kill(number, signal.SIGSTOP)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()
