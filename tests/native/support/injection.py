"""Faults that strace injects into the system calls of the program, and the proof that they were injected."""

import contextlib
import os
import subprocess
import tempfile

from support.program import PATIENCE


class Injection:
    """Makes calls named `call` return `error` at the positions `when` (strace's syntax). strace counts calls by thread."""

    def __init__(self, call, error, when):
        self.call, self.rule = call, f"inject={call}:error={error}:when={when}"
        descriptor, self.trace = tempfile.mkstemp(prefix="portail-strace-")
        os.close(descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.remove(self.trace)

    def flags(self):
        return ["strace", "-f", "-q", "-o", self.trace, "-e", f"trace={self.call}", "-e", self.rule]

    def tracer(self):
        """The command that starts the program traced. strace is no parent of it, and ends with it."""
        return [*self.flags(), "-D"]

    @contextlib.contextmanager
    def attached(self, process):
        """Traces a program that already runs, until the block ends."""
        command = [part for part in self.flags() if part != "-q"]  # it must report that it is attached
        with subprocess.Popen([*command, "-p", str(process.pid)], stderr=subprocess.PIPE, text=True) as strace:
            try:
                if "attached" not in strace.stderr.readline():
                    raise AssertionError("strace is not attached")
                yield
            finally:
                strace.terminate()
                strace.communicate(timeout=PATIENCE)

    def count(self):
        """The number of calls so far that failed because of this injection."""
        with open(self.trace, encoding="utf-8", errors="replace") as file:
            return file.read().count("(INJECTED)")
