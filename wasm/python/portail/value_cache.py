"""A cache of the values of a folder at one revision: until the file `~revision` changes, no value has changed (folder_lease.py)."""

import os
import stat

MAX_BYTES = 16 * 1024 * 1024
ENTRY_SIZE = 512  # bytes that an entry takes beside its value
# Reading changes them, which does not change the revision. Each read reads their current value.
VOLATILE = (b"consultation.", b"audit.", b"config.")
MISS = object()


def is_volatile(key):
    return key.startswith(VOLATILE)


class ValueCache:
    """Hits are valid for the revision that the last validate() found."""

    def __init__(self, folder):
        self._file = f"{folder}/~revision"
        self._revision = None  # no value is cached
        self._values = {}
        self._bytes = 0

    def validate(self):
        """To be called before the reads of a batch."""
        revision = stat_revision(self._file)
        if revision is None or revision != self._revision:
            self._clear()
        self._revision = revision

    def find(self, key):
        """Returns the value, None if the key has none, or MISS."""
        return self._values.get(key, MISS)

    def insert(self, key, value):
        """Caches what was read after validate()."""
        if self._revision is None or is_volatile(key):
            return
        self._bytes += ENTRY_SIZE + len(value or b"")
        if self._bytes > MAX_BYTES:
            self._clear()
        else:
            self._values[key] = value

    def _clear(self):
        self._values.clear()
        self._bytes = 0


def stat_revision(file):
    """Returns None if there is no revision, or if a writer has begun a change and not finished it: the size is odd."""
    try:
        status = os.lstat(file)
    except OSError:
        return None
    finished = stat.S_ISREG(status.st_mode) and status.st_size % 2 == 0
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns) if finished else None
