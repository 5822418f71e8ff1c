"""The ABI of portail.wasm and portail-manage.wasm (wasm/abi/portail.h) in Python, by the `wasmtime` package.

Any thread may call it; one at a time runs in the module, for one step of one request.
"""

import functools
import os
import pathlib
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Self

import wasmtime

from .folder_store import FolderStore, result_of
from .key_fetch import fetch_document
from .quick_calls import Export, Import, Memory
from .store import Damaged, Store

ABI_VERSION = 3
ABSENT = 0xFFFFFFFF
DONE, DIFFERENT, UNAVAILABLE, CORRUPT = range(4)
WAITING, WANTS_BODY, ANSWERED, PIECE, END, BROKEN = range(1, 7)
HTTPS, FORWARDING_TRUSTED, DRAINING, HAS_BODY = 1, 2, 4, 8
CLOSE = 1
# Maximum number of concurrent answers in several pieces. Until its last piece, each keeps all its values in the module's memory.
MAX_STREAMS = 8
MIN_STALL = 5  # seconds without a read by the client, before another answer may replace this one


class Fault(Exception):
    """The settings are invalid, the folder holds no portal, or the module has another ABI version; the text is for the operator."""


Headers = list[tuple[bytes, bytes]]


class Compiled:
    """A compiled module, which any number of portals share."""

    def __init__(self, path: str) -> None:
        self.engine = wasmtime.Engine()
        self.module = wasmtime.Module.from_file(self.engine, path)


compile_module = functools.lru_cache(maxsize=4)(Compiled)


class Portal:
    """The public interface of a portal over `store`. Of `settings` those with the prefix PORTAIL_ count, so os.environ will do. `module` is a
    file to use instead of the package's own. Raises Fault for invalid settings, and for a folder that holds no portal."""

    _module = "portail.wasm"

    def __init__(self, store: Store | FolderStore, settings: Mapping[str, str], *, module: str | os.PathLike[str] | None = None) -> None:
        path = os.fspath(module or pathlib.Path(__file__).with_name(self._module))
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)  # the state of a waiting request may have changed
        self._closed = False
        self._drained = 0
        self._streams: dict[int, tuple[float, Callable[[], None]]] = {}  # by the request's handle; the one with the longest idle client comes first
        self._random_pool = b""  # unused random bytes
        compiled = compile_module(path)
        self._store = wasmtime.Store(compiled.engine)
        linker = wasmtime.Linker(compiled.engine)
        functions: dict[str, Callable[..., int | None]] = {
            "fetch": self._fetch, "pause": self._pause, "now": lambda: time.time_ns() // 1000, "random": self._random, "log": self._log}
        if isinstance(store, FolderStore):
            functions |= {name: functools.partial(self._use_file, function) for name, function in store.imports().items()}
            functions |= {"write": self._write, "wait": lambda milliseconds: time.sleep(milliseconds / 1000),
                          "monotonic": lambda: time.monotonic_ns() // 1000}
        else:
            self._values = store
            functions |= {"get_many": self._get_many, "put": self._put, "remove": self._remove, "compare_and_swap": self._compare_and_swap,
                          "list_keys": self._list_keys}
        self._imports = [Import(linker, each.module, each.name, functions[each.name], each.type) for each in compiled.module.imports
                         if each.name in functions]
        linker.define_unknown_imports_as_traps(compiled.module)  # those of the other kind of store
        exports = linker.instantiate(self._store, compiled.module).exports(self._store)
        self._memory = Memory(self._store, exports["memory"])
        self._exports = {name: Export(self._store, function) for name, function in exports.items() if name != "memory"}
        self._call("_initialize")
        if (version := self._call("abi_version")) != ABI_VERSION:
            raise Fault(f"{path} has ABI version {version}; this package needs {ABI_VERSION}")
        given = [(name.encode(), value.encode()) for name, value in settings.items() if name.upper().startswith("PORTAIL_")]
        if isinstance(store, FolderStore):
            name = store.name.encode(errors="surrogateescape")
            self._portal = self._call("create_in_folder", 1, store.create, *self._buffer(name), *self._buffer(pairs(given)))
        else:
            self._portal = self._call("create", 1, *self._buffer(pairs(given)))
        if not self._portal:
            raise Fault(self._memory.read(self._call("fault"), self._call("fault_size")).decode(errors="surrogateescape"))

    def begin(self, flags: int, method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> "Request":
        """Returns a Request. `method`, `target` and the pairs `headers` are bytes, as received."""
        head = struct.pack("<I", flags | self._drained) + text(method) + text(target) + pairs(headers)
        with self._lock:
            if self._closed:
                print("request refused: the portal is closed", file=sys.stderr)
            number = self._call("begin", self._portal, *self._buffer(head))
            if not number:
                raise Fault("the module takes no request")
            return Request(self, number, *self._read_state(number, self._call("state", number)))

    def drain(self) -> None:
        """From now on /health/ready reports that the portal is shutting down."""
        self._drained = DRAINING

    def close(self) -> None:
        """Frees the module. The next step of a request that has not ended raises Fault."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
            self._store.close()

    def step(self, name: str, number: int, *piece: bytes) -> tuple[int, bytes]:
        """Returns the request's new state and its data."""
        with self._lock:
            arguments = self._buffer(piece[0]) if piece else ()
            return self._read_state(number, self._call(name, number, *arguments))

    def next(self, number: int) -> tuple[int, bytes]:
        with self._lock:
            if stream := self._streams.pop(number, None):
                self._streams[number] = time.monotonic(), stream[1]
            return self._read_state(number, self._call("next", number))

    def end(self, number: int) -> None:
        with self._lock:
            self._streams.pop(number, None)
            self._call("end", number)

    def stream(self, number: int, break_off: Callable[[], None]) -> bool:
        """Returns whether one more answer in several pieces may be sent. At the limit, the answer with the longest idle client is cut off
        by its function `break_off`; if no client stalls, the new answer is refused."""
        with self._lock:
            now = time.monotonic()
            if len(self._streams) == MAX_STREAMS:
                oldest, (since, break_off_oldest) = next(iter(self._streams.items()))
                if now - since < MIN_STALL:
                    print(f"request refused: {MAX_STREAMS} long answers are being sent", file=sys.stderr)
                    return False
                del self._streams[oldest]
                break_off_oldest()
                self._call("end", oldest)
            self._streams[number] = now, break_off
            return True

    def _read_state(self, number: int, state: int) -> tuple[int, bytes]:
        """Waits for the request's fetch of keys, if it needs one."""
        while state == WAITING:
            self._changed.wait()
            state = self._call("state", number)
        shows = state in (ANSWERED, PIECE)
        return state, self._memory.read(self._call("data", number), self._call("data_size", number)) if shows else b""

    def _call(self, name: str, *arguments: int) -> int:
        if self._closed:
            raise Fault("the portal is closed")
        return self._exports[name](*arguments)

    def _buffer(self, data: bytes) -> tuple[int, int]:
        if not data:
            return 0, 0
        pointer = self._call("allocate", len(data))
        self._memory.write(pointer, data)
        return pointer, len(data)

    # The imports. Stores are synchronous, so each of their operations is completed before the import returns.

    def _complete(self, operation: int, work: Callable[[], tuple[int, bytes]]) -> None:
        try:
            status, result = work()
        except Damaged as fault:
            print(f"store: {fault}", file=sys.stderr)
            status, result = CORRUPT, b""
        except Exception as fault:  # of a store of another program
            print(f"store: {str(fault) or type(fault).__name__}", file=sys.stderr)
            status, result = UNAVAILABLE, b""
        self._call("complete", operation, status, *self._buffer(result))

    def _get_many(self, _: int, operation: int, keys: int, size: int) -> None:
        def work() -> tuple[int, bytes]:
            values = self._values.get_many(texts(self._memory.read(keys, size)))
            return DONE, struct.pack("<I", len(values)) + b"".join(
                struct.pack("<I", ABSENT) if value is None else text(value) for value in values)
        self._complete(operation, work)

    def _put(self, _: int, operation: int, key: int, key_size: int, value: int, value_size: int) -> None:
        def work() -> tuple[int, bytes]:
            self._values.put(self._memory.read(key, key_size), self._memory.read(value, value_size))
            return DONE, b""
        self._complete(operation, work)

    def _remove(self, _: int, operation: int, key: int, key_size: int) -> None:
        def work() -> tuple[int, bytes]:
            self._values.remove(self._memory.read(key, key_size))
            return DONE, b""
        self._complete(operation, work)

    def _compare_and_swap(self, _: int, operation: int, key: int, key_size: int, expected: int, expected_size: int, desired: int,
                          desired_size: int) -> None:
        def work() -> tuple[int, bytes]:
            before = None if expected_size == ABSENT else self._memory.read(expected, expected_size)
            after = self._memory.read(desired, desired_size)
            return DONE if self._values.compare_and_swap(self._memory.read(key, key_size), before, after) else DIFFERENT, b""
        self._complete(operation, work)

    def _list_keys(self, _: int, operation: int, prefix: int, prefix_size: int) -> None:
        def work() -> tuple[int, bytes]:
            keys = list(self._values.keys(self._memory.read(prefix, prefix_size)))
            return DONE, struct.pack("<I", len(keys)) + b"".join(map(text, keys))
        self._complete(operation, work)

    def _use_file(self, function: Callable[..., int | None], _: int, path: int, path_size: int, *more: int) -> int:
        try:
            return function(self._memory, self._memory.read(path, path_size), *more) or 0
        except OSError as fault:
            return result_of(fault)

    def _write(self, folder: int, operation: int, work: int, size: int) -> None:
        status = self._call("write_in_folder", folder, *self._buffer(self._memory.read(work, size)))
        self._call("complete", operation, status, 0, 0)

    def _fetch(self, _: int, operation: int, url: int, url_size: int, limit: int, milliseconds: int) -> None:
        location = self._memory.read(url, url_size).decode()

        def work() -> None:
            self._complete_later(operation, fetch_document(location, limit, milliseconds / 1000))
        threading.Thread(target=work, daemon=True).start()

    def _pause(self, operation: int, milliseconds: int) -> None:
        timer = threading.Timer(milliseconds / 1000, self._complete_later, (operation, b""))
        timer.daemon = True
        timer.start()

    def _complete_later(self, operation: int, result: bytes) -> None:
        """Completes an operation after its import has returned, in any thread."""
        with self._lock:
            if not self._closed:
                self._call("complete", operation, DONE, *self._buffer(result))
                self._changed.notify_all()

    def _random(self, pointer: int, size: int) -> None:
        if len(self._random_pool) < size:
            self._random_pool = os.urandom(max(size, 4096))
        self._memory.write(pointer, self._random_pool[:size])
        self._random_pool = self._random_pool[size:]

    def _log(self, _: int, event: int, event_size: int, detail: int, detail_size: int) -> None:
        name = self._memory.read(event, event_size).decode()
        text_of_detail = self._memory.read(detail, detail_size).decode(errors="replace")
        print(text_of_detail if name == "access" else f"{name}: {text_of_detail}", file=sys.stderr)  # of an access it is the whole line


class Management(Portal):
    """The management interface over `store`, a folder or a store that also has `keys`. Serve it on an address of its own."""

    _module = "portail-manage.wasm"


class Request:
    """One request in the module, until the end of a `with` block. `state` determines the next call."""

    def __init__(self, portal: Portal, number: int, state: int, data: bytes) -> None:
        self._portal, self._number, self.state, self.data = portal, number, state, data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Ends the request, in any state. To be called once."""
        self._portal.end(self._number)

    def give_body(self, piece: bytes) -> None:
        """Passes a piece of the body; an empty one is its end."""
        self._step("give_body", piece)

    def lose_body(self) -> None:
        """The rest of the body cannot be received."""
        self._step("lose_body")

    def expire(self) -> None:
        """The rest of the body has not arrived in time."""
        self._step("expire")

    def next(self) -> None:
        """Advances the answer, after `data` was sent."""
        self.state, self.data = self._portal.next(self._number)

    def stream(self, break_off: Callable[[], None]) -> bool:
        """Portal.stream for this request; called before the first piece is sent."""
        return self._portal.stream(self._number, break_off)

    def head(self) -> tuple[int, bool, Headers]:
        """In the state ANSWERED: returns the status, whether the connection must be closed, and the headers as pairs of bytes."""
        status, flags = struct.unpack_from("<II", self.data)
        parts = texts(self.data[8:], per_entry=2)
        return status, bool(flags & CLOSE), list(zip(parts[::2], parts[1::2]))

    def _step(self, name: str, *piece: bytes) -> None:
        self.state, self.data = self._portal.step(name, self._number, *piece)


def text(value: bytes) -> bytes:
    return struct.pack("<I", len(value)) + value


def pairs(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    listed = list(items)
    return struct.pack("<I", len(listed)) + b"".join(text(name) + text(value) for name, value in listed)


def texts(data: bytes, per_entry: int = 1) -> list[bytes]:
    """Decodes a count and the texts of its entries."""
    (count,), offset = struct.unpack_from("<I", data), 4
    found: list[bytes] = []
    for _ in range(count * per_entry):
        (size,) = struct.unpack_from("<I", data, offset)
        found.append(data[offset + 4:offset + 4 + size])
        offset += 4 + size
    return found
