"""The ABI of portail.wasm and portail-manage.wasm (wasm/abi/portail.h) in Python, by the `wasmtime` package.

Any thread may call it; one at a time runs in the module, for one step of one request.
"""

import os
import struct
import sys
import threading
import time

import wasmtime

from folder_store import Damaged
from key_fetch import fetch_document
from quick_calls import Export, Import, Memory

ABI_VERSION = 2
ABSENT = 0xFFFFFFFF
DONE, DIFFERENT, UNAVAILABLE, CORRUPT = range(4)
WAITING, WANTS_BODY, ANSWERED, PIECE, END, BROKEN = range(1, 7)
HTTPS, FORWARDING_TRUSTED, DRAINING, HAS_BODY = 1, 2, 4, 8
CLOSE = 1
# Maximum number of concurrent answers in several pieces. Until its last piece, each keeps all its values in the module's memory.
MAX_STREAMS = 8
MIN_STALL = 5  # seconds without a read by the client, before another answer may replace this one


class Fault(Exception):
    """The module has another ABI version, or the settings are invalid; the text is for the operator."""


class Portal:
    """One instance with one portal over `values`, which has the methods of FolderStore."""

    def __init__(self, path, values, settings):
        self._values = values
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)  # the state of a waiting request may have changed
        self._closed = False
        self._streams = {}  # by the request's handle; the one with the longest idle client comes first
        self._random_pool = b""  # unused random bytes
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        linker = wasmtime.Linker(engine)
        self._imports = []
        i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
        for name, parameters, results, function in (
                ("get_many", 4, [], self._get_many),
                ("put", 6, [], self._put),
                ("remove", 4, [], self._remove),
                ("compare_and_swap", 8, [], self._compare_and_swap),
                ("list_keys", 4, [], self._list_keys),
                ("fetch", 6, [], self._fetch),
                ("pause", 2, [], self._pause),
                ("now", 0, [i64], lambda: time.time_ns() // 1000),
                ("random", 2, [], self._random),
                ("log", 5, [], self._log)):
            self._imports.append(Import(linker, "portail", name, function, wasmtime.FuncType([i32] * parameters, results)))
        exports = linker.instantiate(self._store, wasmtime.Module.from_file(engine, path)).exports(self._store)
        self._memory = Memory(self._store, exports["memory"])
        self._exports = {name: Export(self._store, function) for name, function in exports.items() if name != "memory"}
        self._call("_initialize")
        if (version := self._call("abi_version")) != ABI_VERSION:
            raise Fault(f"{path} has ABI version {version}, and this program knows {ABI_VERSION}")
        self._portal = self._call("create", 1, *self._buffer(pairs(settings)))
        if not self._portal:
            raise Fault(self._memory.read(self._call("fault"), self._call("fault_size")).decode())

    def begin(self, flags, method, target, headers):
        """Returns a Request. `method`, `target` and the pairs `headers` are bytes, as received."""
        head = struct.pack("<I", flags) + text(method) + text(target) + pairs(headers)
        with self._lock:
            number = self._call("begin", self._portal, *self._buffer(head))
            if not number:
                raise Fault("the module takes no request")
            return Request(self, number, *self._read_state(number, self._call("state", number)))

    def close(self):
        """Frees the module. The next step of a request that has not ended raises Fault."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()
            self._store.close()

    def step(self, name, number, *piece):
        """Returns the request's new state and its data."""
        with self._lock:
            arguments = self._buffer(piece[0]) if piece else ()
            return self._read_state(number, self._call(name, number, *arguments))

    def next(self, number):
        with self._lock:
            if stream := self._streams.pop(number, None):
                self._streams[number] = time.monotonic(), stream[1]
            return self._read_state(number, self._call("next", number))

    def end(self, number):
        with self._lock:
            self._streams.pop(number, None)
            self._call("end", number)

    def stream(self, number, break_off):
        """Returns whether one more answer in several pieces may be sent. At the limit, the answer with the longest idle client is cut off
        by its function `break_off`; if no client stalls, the new answer is refused."""
        with self._lock:
            now = time.monotonic()
            if len(self._streams) == MAX_STREAMS:
                oldest, (since, break_off_oldest) = next(iter(self._streams.items()))
                if now - since < MIN_STALL:
                    return False
                del self._streams[oldest]
                break_off_oldest()
                self._call("end", oldest)
            self._streams[number] = now, break_off
            return True

    def _read_state(self, number, state):
        """Waits for the request's fetch of keys, if it needs one."""
        while state == WAITING:
            self._changed.wait()
            state = self._call("state", number)
        shows = state in (ANSWERED, PIECE)
        return state, self._memory.read(self._call("data", number), self._call("data_size", number)) if shows else b""

    def _call(self, name, *arguments):
        if self._closed:
            raise Fault("the portal is closed")
        return self._exports[name](*arguments)

    def _buffer(self, data):
        if not data:
            return 0, 0
        pointer = self._call("allocate", len(data))
        self._memory.write(pointer, data)
        return pointer, len(data)

    # The imports. The store is synchronous, so each of its operations is completed before the import returns.

    def _complete(self, operation, work):
        try:
            status, result = work()
        except Damaged as fault:
            print(f"store: {fault}", file=sys.stderr)
            status, result = CORRUPT, b""
        except OSError as fault:
            print(f"store: {fault}", file=sys.stderr)
            status, result = UNAVAILABLE, b""
        self._call("complete", operation, status, *self._buffer(result))

    def _get_many(self, _, operation, keys, size):
        def work():
            values = self._values.get_many(texts(self._memory.read(keys, size)))
            return DONE, struct.pack("<I", len(values)) + b"".join(
                struct.pack("<I", ABSENT) if value is None else text(value) for value in values)
        self._complete(operation, work)

    def _put(self, _, operation, key, key_size, value, value_size):
        def work():
            self._values.put(self._memory.read(key, key_size), self._memory.read(value, value_size))
            return DONE, b""
        self._complete(operation, work)

    def _remove(self, _, operation, key, key_size):
        def work():
            self._values.remove(self._memory.read(key, key_size))
            return DONE, b""
        self._complete(operation, work)

    def _compare_and_swap(self, _, operation, key, key_size, expected, expected_size, desired, desired_size):
        def work():
            before = None if expected_size == ABSENT else self._memory.read(expected, expected_size)
            after = self._memory.read(desired, desired_size)
            return DONE if self._values.compare_and_swap(self._memory.read(key, key_size), before, after) else DIFFERENT, b""
        self._complete(operation, work)

    def _list_keys(self, _, operation, prefix, prefix_size):
        def work():
            keys = self._values.keys(self._memory.read(prefix, prefix_size))
            return DONE, struct.pack("<I", len(keys)) + b"".join(map(text, keys))
        self._complete(operation, work)

    def _fetch(self, _, operation, url, url_size, limit, milliseconds):
        location = self._memory.read(url, url_size).decode()
        work = lambda: self._complete_later(operation, fetch_document(location, limit, milliseconds / 1000))
        threading.Thread(target=work, daemon=True).start()

    def _pause(self, operation, milliseconds):
        timer = threading.Timer(milliseconds / 1000, self._complete_later, (operation, b""))
        timer.daemon = True
        timer.start()

    def _complete_later(self, operation, result):
        """Completes an operation after its import has returned, in any thread."""
        with self._lock:
            if not self._closed:
                self._call("complete", operation, DONE, *self._buffer(result))
                self._changed.notify_all()

    def _random(self, pointer, size):
        if len(self._random_pool) < size:
            self._random_pool = os.urandom(max(size, 4096))
        self._memory.write(pointer, self._random_pool[:size])
        self._random_pool = self._random_pool[size:]

    def _log(self, _, event, event_size, detail, detail_size):
        event = self._memory.read(event, event_size).decode()
        detail = self._memory.read(detail, detail_size).decode(errors="replace")
        print(detail if event == "access" else f"{event}: {detail}", file=sys.stderr)  # of an access it is the whole line


class Request:
    """One request in the module, until the end of a `with` block. `state` determines the next call."""

    def __init__(self, portal, number, state, data):
        self._portal, self._number, self.state, self.data = portal, number, state, data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._portal.end(self._number)

    def give_body(self, piece):
        self._step("give_body", piece)

    def lose_body(self):
        self._step("lose_body")

    def next(self):
        """Advances the answer, after `data` was sent."""
        self.state, self.data = self._portal.next(self._number)

    def stream(self, break_off):
        """Portal.stream for this request; called before the first piece is sent."""
        return self._portal.stream(self._number, break_off)

    def head(self):
        """In the state ANSWERED: returns the status, whether the connection must be closed, and the headers as pairs of bytes."""
        status, flags = struct.unpack_from("<II", self.data)
        parts = texts(self.data[8:], per_entry=2)
        return status, bool(flags & CLOSE), list(zip(parts[::2], parts[1::2]))

    def _step(self, name, *piece):
        self.state, self.data = self._portal.step(name, self._number, *piece)


def text(value):
    return struct.pack("<I", len(value)) + value


def pairs(items):
    items = list(items)
    return struct.pack("<I", len(items)) + b"".join(text(name) + text(value) for name, value in items)


def texts(data, per_entry=1):
    """Decodes a count and the texts of its entries."""
    (count,), offset, found = struct.unpack_from("<I", data), 4, []
    for _ in range(count * per_entry):
        (size,) = struct.unpack_from("<I", data, offset)
        found.append(data[offset + 4:offset + 4 + size])
        offset += 4 + size
    return found
