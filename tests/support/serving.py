"""A host that a test starts on a free port of loopback, sends requests to, and stops. Standard library only."""

import http.client
import os
import re
import signal
import subprocess
import time

from waiting import PATIENCE


class Serving:
    """A command that prints "Serving HTTP on http://ADDRESS", as `wasmtime serve` does, or "listening on". The constructor starts it.
    `address` is set in a `with` block, or after wait_for_address. `log` is the file of its output."""

    def __init__(self, command, log, environment=None):
        self.log = log
        with open(log, "w") as file:
            self.process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT,
                                            start_new_session=True)

    def __enter__(self):
        self.wait_for_address()
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_for_address(self):
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"(?:Serving HTTP|listening) on http://(\S+?)/?\s", self.output())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"it does not listen:\n{self.output()}")
            time.sleep(0.05)
        self.address = found[1]

    def output(self):
        return self.log.read_text()

    def ask(self, target, headers=None, method="GET", body=None):
        """Sends a request; returns the status, the headers and the body."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def stop(self, by=signal.SIGINT):
        """Stops it; returns whether it was running. The whole process group gets the signal, since strace, before a host, ignores it."""
        running = self.process.poll() is None
        if running:
            os.killpg(self.process.pid, by)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return running
