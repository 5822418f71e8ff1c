"""Values of files that were read before, and when they count as unchanged without being read again: while the name still leads
to the same file, its size and times are the same, and these times lie safely before the reading."""

import os
import time

MOST_KNOWN = 128
# A change that comes at least this long after the one before has other times than that, on every file system: the coarsest
# has two seconds; the rest is for a clock that is set back by no more than the tolerance. In nanoseconds.
MARGIN = 4_000_000_000
TOLERANCE = 1_000_000_000


def now():
    """The same moment on the clock that files are stamped by, and on one that is never set."""
    return time.time_ns(), time.monotonic_ns()


class KnownValues:
    def __init__(self):
        self._known = {}

    def find(self, path):
        """None where the value must be read."""
        if path not in self._known:
            return None
        value, status, read = self._known[path]
        moment = now()
        try:
            if identity(os.lstat(path)) == status and not was_set_back(read, moment):
                return value
        except OSError:
            pass  # who reads it finds out
        del self._known[path]
        return None

    def keep(self, path, status, before, value):
        """What was read of a file that was `status` at `before`."""
        settled = max(status.st_mtime_ns, status.st_ctime_ns) + MARGIN <= before[0]
        # Of another size, it has changed between the look and the reading.
        if not settled or status.st_size != len(value):
            return
        if len(self._known) == MOST_KNOWN:
            self._known.clear()
        self._known[path] = value, identity(status), before


def identity(status):
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def was_set_back(then, moment):
    """A change after the clock was set back could have the times of the change before."""
    return moment[0] - then[0] < moment[1] - then[1] - TOLERANCE
