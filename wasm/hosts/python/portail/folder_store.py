"""A portal's folder, in the layout of the native program's `dir:` store (docs/reference/stores.md), which other programs may use concurrently.
The module reads and writes it by its imports of files (wasm/abi/portail.h)."""

import contextlib
import errno
import os
import pathlib
import stat
import struct
import sys
from collections.abc import Callable, Iterator

from .quick_calls import Memory

MISSING, OCCUPIED, OTHER, FAILED = -1, -2, -3, -4
RESULTS = {errno.ENOENT: MISSING, errno.EEXIST: OCCUPIED, errno.ENOTEMPTY: OCCUPIED, errno.ENOTDIR: OTHER, errno.EISDIR: OTHER,
           errno.ELOOP: OTHER, errno.ENXIO: OTHER}
REGULAR_FILE, FOLDER, OTHER_FILE = range(3)
MAX_RESULT, MAX_FILE_SIZE, MASK = 2**31 - 1, 2**63 - 1, 2**64 - 1


class FolderStore:
    """The folder of one portal or several. `create` makes it if it is missing, and accepts an empty one; otherwise it must hold a portal."""

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = False) -> None:
        self.name, self.create = os.fspath(folder), create
        self._folder = str(pathlib.Path(folder))

    def imports(self) -> dict[str, Callable[..., int | None]]:
        """Returns the functions by the names of the imports. Each takes the module's memory, a path, and the import's further parameters.
        An OSError is a failure, of the number result_of()."""
        return {"file_status": self._status, "file_read": self._read, "file_create": self._create, "file_make_folder": self._make_folder,
                "file_rename": self._rename, "file_remove": self._remove, "file_list": self._list, "file_sync": self._sync}

    def _status(self, memory: Memory, path: bytes, found: int) -> None:
        status = os.stat(self._path(path), follow_symlinks=not path)
        kind = REGULAR_FILE if stat.S_ISREG(status.st_mode) else FOLDER if stat.S_ISDIR(status.st_mode) else OTHER_FILE
        memory.write(found, struct.pack("<IIQQQ", kind, 0, status.st_size, status.st_mtime_ns & MASK, status.st_ctime_ns & MASK))

    def _read(self, memory: Memory, path: bytes, content: int, size: int) -> int:
        with self._opened(path, os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY) as file:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                return OTHER
            if status.st_size > size:
                return min(status.st_size, MAX_RESULT)
            count = 0
            while count < status.st_size and (more := os.readv(file, [memory.view(content + count, status.st_size - count)])):
                count += more
            return count

    def _create(self, memory: Memory, path: bytes, content: int, size: int, length: int, is_durable: int) -> None:
        if length > MAX_FILE_SIZE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        with open(os.open(self._path(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(memory.view(content, size))
            file.truncate(length)
            if is_durable:
                os.fsync(file.fileno())

    def _make_folder(self, _: Memory, path: bytes) -> None:
        os.mkdir(self._path(path), 0o700)

    def _rename(self, memory: Memory, path: bytes, to: int, to_size: int) -> None:
        os.rename(self._path(path), self._path(memory.read(to, to_size)))

    def _remove(self, _: Memory, path: bytes, is_folder: int) -> None:
        (os.rmdir if is_folder else os.unlink)(self._path(path))

    def _list(self, memory: Memory, path: bytes, names: int, size: int) -> int:
        with self._opened(path, os.O_DIRECTORY | (os.O_NOFOLLOW if path else 0)) as folder:
            listed = b"".join(os.fsencode(name) + b"\0" for name in os.listdir(folder))
        if len(listed) <= size:
            memory.write(names, listed)
        return len(listed)

    def _sync(self, _: Memory, path: bytes) -> None:
        with self._opened(path, os.O_DIRECTORY | (os.O_NOFOLLOW if path else 0)) as folder:
            os.fsync(folder)

    def _path(self, path: bytes) -> str:
        return f"{self._folder}/{os.fsdecode(path)}" if path else self._folder

    @contextlib.contextmanager
    def _opened(self, path: bytes, flags: int) -> Iterator[int]:
        file = os.open(self._path(path), os.O_RDONLY | flags)
        try:
            yield file
        finally:
            os.close(file)


def result_of(fault: OSError) -> int:
    """Returns the result of an import that failed; prints a reason that the result does not have. It omits the file's name, which contains
    identifiers."""
    result = RESULTS.get(fault.errno or 0, FAILED)
    if result == FAILED:
        print(f"store: {fault.strerror or fault}", file=sys.stderr)
    return result
