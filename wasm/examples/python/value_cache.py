"""A cache of the values of files, validated by stat. A cached value is valid while its name refers to the same file, and the file's
size and times are unchanged. The times must be older than the read by a minimum age."""

import os
import time

MAX_CACHED_VALUES = 128
# Minimum age of a file's times when it is read. Two changes that are this far apart have different times on every file system: the
# coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most CLOCK_TOLERANCE. Nanoseconds.
MIN_AGE = 4_000_000_000
CLOCK_TOLERANCE = 1_000_000_000


def read_clocks():
    """One instant on two clocks: the wall clock, which sets the times of files, and a monotonic clock."""
    return time.time_ns(), time.monotonic_ns()


class ValueCache:
    def __init__(self):
        self._cache = {}

    def find(self, path):
        """Returns None on a miss."""
        if path not in self._cache:
            return None
        value, status, read = self._cache[path]
        clocks = read_clocks()
        try:
            if metadata(os.lstat(path)) == status and not was_set_back(read, clocks):
                return value
        except OSError:
            pass  # the read reports the error
        del self._cache[path]
        return None

    def insert(self, path, status, before, value):
        """Caches what was read after a stat at `before` returned `status`, unless a later change could not be detected."""
        settled = max(status.st_mtime_ns, status.st_ctime_ns) + MIN_AGE <= before[0]
        # If the sizes differ, the file changed between the stat and the read.
        if not settled or status.st_size != len(value):
            return
        if len(self._cache) == MAX_CACHED_VALUES:
            self._cache.clear()
        self._cache[path] = value, metadata(status), before


def metadata(status):
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def was_set_back(then, clocks):
    """Whether the wall clock was set back: a later change could then repeat earlier times."""
    return clocks[0] - then[0] < clocks[1] - then[1] - CLOCK_TOLERANCE
