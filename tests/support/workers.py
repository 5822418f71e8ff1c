"""Threads that cannot fail silently. Standard library only."""

import threading

from waiting import PATIENCE


class Worker(threading.Thread):
    """A thread whose join() raises the exception of its work, and fails if the work does not end."""

    def __init__(self, target=None, *arguments):
        super().__init__(daemon=True)
        self.target, self.arguments, self.error = target, arguments, None

    def run(self):
        try:
            self.work()
        except BaseException as error:  # noqa: BLE001: it is raised again by join()
            self.error = error

    def work(self):
        """Calls the target; subclasses override it."""
        self.target(*self.arguments)

    def join(self, timeout=PATIENCE):
        super().join(timeout)
        if self.is_alive():
            raise AssertionError(f"{type(self).__name__} did not end within {timeout} s")
        if self.error:
            raise self.error
