"""Detects whether a file is opened, with Linux's inotify. Standard library only."""

import ctypes
import os

IN_OPEN = 0x20
EVENT = 16  # bytes, of a watch on a file

libc = ctypes.CDLL(None, use_errno=True)


class Opens:
    """Watches, in a `with` block, the file that the path resolves to at its beginning."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.queue = libc.inotify_init1(os.O_NONBLOCK)
        if self.queue < 0 or libc.inotify_add_watch(self.queue, os.fsencode(self.path), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        return self

    def __exit__(self, *_):
        os.close(self.queue)

    def any(self):
        """Returns whether it was opened since the last call. Equal unread events are merged, so their number is not known."""
        try:
            return len(os.read(self.queue, EVENT)) > 0
        except BlockingIOError:
            return False
