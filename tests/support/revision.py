"""Changes of a folder's files as its writers make them (core/storage/folder/revision.hpp). Standard library only."""

import contextlib
import os
import pathlib
import tempfile


class Revision:
    def __init__(self, store):
        self._store = pathlib.Path(store)
        self._file = self._store / "~revision"

    def size(self):
        """Returns the size of the file; 0 if no writer has made it yet."""
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0

    def set(self, size):
        """Replaces the file by one of that size."""
        descriptor, made = tempfile.mkstemp(dir=self._store.parent)
        os.ftruncate(descriptor, size)
        os.close(descriptor)
        os.replace(made, self._file)

    @contextlib.contextmanager
    def change(self):
        """Within it the caller changes files. The folder must have no other writer meanwhile."""
        odd = self.size() | 1
        self.set(odd)
        yield
        self.set(odd + 1)
