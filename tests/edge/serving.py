"""A host of components that a test starts on a free port of loopback, asks things, and stops. Standard library only."""

import http.client
import re
import signal
import subprocess
import time

PATIENCE = 60  # seconds
SKIPPED = 77  # what a test ends with that lacks something, and says what


class Serving:
    """One `wasmtime serve`, from its start to the end of a `with` block. `log` is the file that keeps what it says."""

    def __init__(self, command, log, environment=None):
        self.log = log
        with open(log, "w") as file:
            self.process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)

    def __enter__(self):
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"Serving HTTP on http://(\S+?)/?\s", self.said())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"it does not listen:\n{self.said()}")
            time.sleep(0.05)
        self.address = found[1]
        return self

    def __exit__(self, *_):
        self.stop()

    def said(self):
        return self.log.read_text()

    def ask(self, target, headers=None, method="GET", body=None):
        """The status, the headers and the body."""
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
