"""A store with one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md). One thread at a
time."""

import errno
import os
import pathlib
import re
import stat
import tempfile

import value_cache

MAX_VALUE_SIZE = 256 * 1024
KEY = re.compile(rb"[a-z0-9A-F_=.-]{1,200}")


def open_nonblocking(path, flags):
    """Opens without following links or blocking: a FIFO would wait for its writer."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)


class Damaged(Exception):
    """The file of a key is not a valid value."""


class FolderStore:
    """Creates the folder if it is missing. An OSError of any method means that the store is unavailable."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        # Keys contain no "~". The native program removes stale files in this folder.
        self._unfinished = self._folder / "~writers"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._unfinished.mkdir(mode=0o700, exist_ok=True)
        self._cache = value_cache.ValueCache()

    def get(self, key):
        """Returns the value, or None."""
        path = self._path(key)
        if (value := self._cache.find(path)) is not None:
            return value
        clocks = value_cache.read_clocks()
        try:
            with open(path, "rb", opener=open_nonblocking) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise Damaged(f"{path} is not a regular file")
                value = file.read(MAX_VALUE_SIZE + 1)
        except FileNotFoundError:
            return None
        except OSError as fault:
            if fault.errno in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
                raise Damaged(str(fault)) from fault
            raise
        if len(value) > MAX_VALUE_SIZE:
            raise Damaged(f"{key.decode()} is larger than any value")
        self._cache.insert(path, status, clocks, value)
        return value

    def put(self, key, value):
        """Returns when the value is durable. Readers see either the old or the new value as a whole."""
        descriptor, unfinished = tempfile.mkstemp(dir=self._unfinished)
        try:
            with open(descriptor, "wb") as file:
                file.write(value)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self._path(key))
        except OSError:
            os.unlink(unfinished)
            raise
        self._sync_names()

    def remove(self, key):
        pathlib.Path(self._path(key)).unlink(missing_ok=True)
        self._sync_names()

    def _path(self, key):
        if not KEY.fullmatch(key) or key in (b".", b".."):
            raise OSError(f"{key!r} is not a valid key")
        return f"{self._folder}/{key.decode()}"

    def _sync_names(self):
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
