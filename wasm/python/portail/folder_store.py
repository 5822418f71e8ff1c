"""A store with one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md), which other programs
may use concurrently. One thread at a time."""

import errno
import os
import pathlib
import re
import stat
from collections.abc import Callable, Sequence

from .folder_lease import FolderLease
from .portal import Fault
from .store import Damaged, Store
from .value_cache import MISS, ValueCache, is_volatile

MAX_VALUE_SIZE = 256 * 1024
KEY = re.compile(rb"[a-z0-9A-F_=.-]{1,200}")


def open_nonblocking(path: str, flags: int) -> int:
    """Opens without following links or blocking: a FIFO would wait for its writer."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)


def exists(path: pathlib.Path) -> bool:
    """Raises OSError if this cannot be found out, as behind an unreadable folder; Path.exists() returns False in newer versions of Python."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def refusal_of(folder: pathlib.Path, may_be_empty: bool) -> str | None:
    """Returns why the folder is not a portal's; None if it is."""
    remedy = f"`portail import --store dir:{folder} DOCUMENT` makes one there"
    if not exists(folder):
        return f"does not exist: {remedy}"
    if not folder.is_dir():
        return "is not a folder"
    if exists(folder / "format"):
        return None
    names = os.listdir(folder)
    others = sorted(name for name in names if not name.startswith("~") and name != "lost+found")
    if others and "~writers" not in names:
        return f"holds other files and no store ({others[0]}): name an empty or a new folder"
    return None if may_be_empty else f"holds no portal: {remedy}"


class FolderStore(Store):
    """Raises Fault if the folder holds no portal. `create` makes the folder if it is missing, and accepts an empty one. An OSError of any method
    means that the store is unavailable."""

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self._folder = pathlib.Path(folder)
        if create and not exists(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        if reason := refusal_of(self._folder, create):
            raise Fault(f"{folder} {reason}")
        (self._folder / "~writers").mkdir(mode=0o700, exist_ok=True)
        self._cache = ValueCache(self._folder)

    def get(self, key: bytes) -> bytes | None:
        return self.get_many([key])[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Returns a list of the values, None for an absent one."""
        self._cache.validate()
        return [self._get(key) for key in keys]

    def put(self, key: bytes, value: bytes) -> None:
        """Returns when the value is durable. Readers see either the old or the new value as a whole."""
        self._change(key, value)

    def remove(self, key: bytes) -> None:
        self._change(key, None)

    def compare_and_swap(self, key: bytes, expected: bytes | None, desired: bytes) -> bool:
        """Stores `desired` if the value is `expected` (None: absent), and returns whether it did. Atomic among all programs."""
        return self._change(key, desired, lambda value: value == expected)

    def _get(self, key: bytes) -> bytes | None:
        value = self._cache.find(key)
        if value is MISS:
            value = self._read(self._path(key))
            self._cache.insert(key, value)
        return value

    def _read(self, path: str) -> bytes | None:
        try:
            with open(path, "rb", opener=open_nonblocking) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise Damaged(f"{path} is not a regular file")
                value = file.read(MAX_VALUE_SIZE + 1)
        except FileNotFoundError:
            return None
        except OSError as fault:
            if fault.errno in (errno.EISDIR, errno.ELOOP, errno.ENXIO):
                raise Damaged(str(fault)) from fault
            raise
        if len(value) > MAX_VALUE_SIZE:
            raise Damaged(f"{path} is larger than any value")
        return value

    def _change(self, key: bytes, value: bytes | None, precondition: Callable[[bytes | None], bool] | None = None) -> bool:
        path = self._path(key)
        with FolderLease(self._folder, value or b"") as lease:
            if precondition and not precondition(self._read(path)):
                return False
            if not is_volatile(key):
                lease.begin_revision()
            if value is None:
                lease.remove(path)
            else:
                lease.replace(path)
        self._sync_names()
        return True

    def keys(self, prefix: bytes) -> list[bytes]:
        """Returns the keys that begin with the bytes `prefix`."""
        return [name for name in os.listdir(os.fsencode(self._folder)) if name.startswith(prefix) and KEY.fullmatch(name)]

    def _path(self, key: bytes) -> str:
        if not KEY.fullmatch(key) or key in (b".", b".."):
            raise OSError(f"{key!r} is not a valid key")
        return f"{self._folder}/{key.decode()}"

    def _sync_names(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
