"""A store's server, started by a test on a free port of the loopback. Standard library only."""

import contextlib
import os
import pathlib
import re
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from serving import Running, free_port  # noqa: E402


def with_descendants(process):
    """Returns the ids of this process and of its descendants, parents first."""
    found = [process]
    for number in found:
        with contextlib.suppress(OSError):  # it has ended
            found += map(int, pathlib.Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split())
    return found


def resume(processes):
    for number in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGCONT)


class Engine:
    """A running server, with `settings` on its command line. A subclass defines `command`, the text `ready` of the output line after which
    it answers, and `url_at`, its address at a port."""

    stop_signal = signal.SIGKILL

    def __init__(self, *settings):
        self.settings = settings
        self.folder = tempfile.TemporaryDirectory(prefix="portail-engine-")
        self.process = None
        self.prepare()
        for _ in range(5):  # another program may bind the port first
            self.port = free_port()
            if self.start():
                return
        raise AssertionError(f"{type(self).__name__} does not start")

    def prepare(self):
        """Runs once, before the first start."""

    def start(self):
        """Returns whether it has started."""
        running = Running(self.command(), os.path.join(self.folder.name, "log"))
        self.process = running.process
        try:
            running.wait_for(re.escape(self.ready))
        except RuntimeError:
            self.stop()
            return False
        return True

    def stop(self, number=None):
        """Ends the server, by default immediately, as a crash does."""
        if self.process:
            if self.process.poll() is None:
                processes = self.processes()
                self.process.send_signal(number or self.stop_signal)
                resume(processes)  # it may be frozen
            self.process.wait()
            self.process = None

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

    def resume(self):
        """Ends freeze()."""
        resume(self.processes())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()


class Engines:
    """Servers that are started together, and stopped together. A subclass starts them in `start_all`, with the arguments of the constructor;
    it calls `enter` with each, so that they are stopped if the next one does not start."""

    def __init__(self, *arguments, **options):
        with contextlib.ExitStack() as started:
            self.start_all(started.enter_context, *arguments, **options)
            self.running = started.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.running.close()
