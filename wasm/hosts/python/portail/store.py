"""The interface of a portal's store, and a store in memory."""

import abc
from collections.abc import Iterable, Mapping, Sequence


class Damaged(Exception):
    """The stored bytes of a key are not a valid value: the request gets 500."""


class Store(abc.ABC):
    """The values of a portal by their keys. Subclass it for your own store: `get`, `put` and `remove` are required.

    A portal calls one method at a time, in any thread. If a method raises Damaged, the request gets 500; after another exception, 503: the
    outcome of a write is then unknown."""

    @abc.abstractmethod
    def get(self, key: bytes) -> bytes | None:
        """Returns the value, None if there is none."""

    @abc.abstractmethod
    def put(self, key: bytes, value: bytes) -> None:
        """Returns when the value is durable."""

    @abc.abstractmethod
    def remove(self, key: bytes) -> None:
        """Succeeds if the key has no value."""

    def get_many(self, keys: Sequence[bytes]) -> Sequence[bytes | None]:
        """Returns a value for each key. Override it if the store reads several values faster."""
        return [self.get(key) for key in keys]

    def compare_and_swap(self, key: bytes, expected: bytes | None, desired: bytes) -> bool:
        """Stores `desired` if the value is `expected` (None: absent), and returns whether it did. Override it if other processes write to
        the store: here, of two concurrent changes one may be lost."""
        if self.get(key) != expected:
            return False
        self.put(key, desired)
        return True

    def keys(self, prefix: bytes) -> Iterable[bytes]:
        """Returns the keys that begin with `prefix`. Only the management interface needs it."""
        raise NotImplementedError(f"{type(self).__name__} cannot list its keys")


class MemoryStore(Store):
    """Values that end with the process."""

    def __init__(self, values: Mapping[bytes, bytes] | None = None) -> None:
        self._values = dict(values or {})

    def get(self, key: bytes) -> bytes | None:
        return self._values.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self._values[key] = value

    def remove(self, key: bytes) -> None:
        self._values.pop(key, None)

    def keys(self, prefix: bytes) -> Iterable[bytes]:
        return [key for key in self._values if key.startswith(prefix)]
