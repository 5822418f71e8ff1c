"""One file a key, as docs/reference/stores.md lays out the native program's `dir:` store. One thread at a time."""

import errno
import os
import pathlib
import re
import stat
import tempfile

import known_values

LARGEST_VALUE = 256 * 1024
KEY = re.compile(rb"[a-z0-9A-F_=.-]{1,200}")


def open_without_waiting(path, flags):
    """Whatever is there, opening it neither follows a link nor waits: not for the writer of a FIFO."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)


class Damaged(Exception):
    """Something is in a value's place that is no value."""


class FolderStore:
    """Makes the folder where it is missing. OSError from any method: the store cannot do it now."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        # No key has a "~". Here the native program looks for what was left behind, and removes it.
        self._unfinished = self._folder / "~writers"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._unfinished.mkdir(mode=0o700, exist_ok=True)
        self._known = known_values.KnownValues()

    def get(self, key):
        """The value, None where there is none."""
        path = self._path(key)
        if (value := self._known.find(path)) is not None:
            return value
        moment = known_values.now()
        try:
            with open(path, "rb", opener=open_without_waiting) as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise Damaged(f"{path} is not a regular file")
                value = file.read(LARGEST_VALUE + 1)
        except FileNotFoundError:
            return None
        except OSError as fault:
            if fault.errno in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
                raise Damaged(str(fault)) from fault
            raise
        if len(value) > LARGEST_VALUE:
            raise Damaged(f"{key.decode()} is larger than any value")
        self._known.keep(path, status, moment, value)
        return value

    def put(self, key, value):
        """Returns once the value would survive a power loss. Readers see the old one or the new one, whole."""
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
            raise OSError(f"{key!r} is no key")
        return f"{self._folder}/{key.decode()}"

    def _sync_names(self):
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
