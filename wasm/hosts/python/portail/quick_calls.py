"""Calls between Python and a module, by wasmtime's C interface, which the package `wasmtime` carries.

The package's own functions read the function's type at each call and convert by it, which takes many times as long as a step of the
module. Here the parameters, unsigned numbers of 32 or 64 bits, are packed in the layout of the C interface, 16 bytes each. The global
interpreter lock is held during a call, except in imports that release it.

This uses internals of the package; requirements.txt has its exact version.
"""

import ctypes
import os
import struct
import sys
import traceback

import wasmtime
from wasmtime import _ffi

_library = ctypes.PyDLL(_ffi.dll._name)
_address, _size = ctypes.c_void_p, ctypes.c_size_t
_callback = ctypes.CFUNCTYPE(_address, _address, _address, _address, _size)
_finalizer = ctypes.CFUNCTYPE(None, _address)
_result = struct.Struct("<I")
_unsigned, _signed = {"i32": "I12x", "i64": "Q8x"}, {"i32": "i12x", "i64": "q8x"}


def _of_library(name, result, *parameters):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, parameters
    return function


_call = _of_library("wasmtime_func_call_unchecked", _address, _address, _address, _address, _size, _address)
_define = _of_library("wasmtime_linker_define_func_unchecked", _address, _address, ctypes.c_char_p, _size, ctypes.c_char_p, _size,
                      _address, _callback, _address, _finalizer)
_data = _of_library("wasmtime_memory_data", _address, _address, _address)
_data_size = _of_library("wasmtime_memory_data_size", _size, _address, _address)


def _layout(types, formats):
    return struct.Struct("<" + "".join(formats[str(each)] for each in types))


class Import:
    """A Python function that the module imports; a number that it returns is signed. Must be kept as long as the module.

    An exception ends the process: the state of the module would be undefined."""

    def __init__(self, linker, module, name, function, function_type):
        parameters, result = _layout(function_type.params, _unsigned), _layout(function_type.results, _signed)

        def called(_, caller, values, count):
            try:
                returned = function(*parameters.unpack(ctypes.string_at(values, parameters.size)))
                if result.size:
                    ctypes.memmove(values, result.pack(returned), result.size)
            except BaseException:
                traceback.print_exc()
                os._exit(1)

        self._called = _callback(called)
        _define(ctypes.addressof(linker.ptr().contents), module.encode(), len(module), name.encode(), len(name),
                ctypes.addressof(function_type.ptr().contents), self._called, None, _finalizer())


class Export:
    """An exported function; a call returns 0 if the function has no result. A call may be nested in another one of the same function: its
    parameters are read at the beginning, its result is written at the end. One thread at a time. If the module traps, the process ends: the
    instance must not be used afterwards."""

    def __init__(self, store, function):
        self._references = store, function
        self._parameters, self._returns = _layout(function.type(store).params, _unsigned), len(function.type(store).results) > 0
        self._values = ctypes.create_string_buffer(max(self._parameters.size, 16))
        self._trap = _address()
        self._arguments = (ctypes.addressof(store._context().contents), ctypes.addressof(function._func),
                       ctypes.addressof(self._values), len(self._values) // 16, ctypes.addressof(self._trap))

    def __call__(self, *numbers):
        self._parameters.pack_into(self._values, 0, *numbers)
        error = _call(*self._arguments)
        if error or self._trap:
            print(f"the module ended: {_fault(error, self._trap)}", file=sys.stderr, flush=True)
            os._exit(1)
        return _result.unpack_from(self._values)[0] if self._returns else 0


def _fault(error, trap):
    if error:
        return wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(_ffi.wasmtime_error_t)))
    return wasmtime.Trap._from_ptr(ctypes.cast(trap, ctypes.POINTER(_ffi.wasm_trap_t)))


class Memory:
    """The module's memory. Its address changes only when it grows."""

    def __init__(self, store, memory):
        self._context, self._memory = ctypes.addressof(store._context().contents), ctypes.addressof(memory._memory)
        self._references = store, memory
        self._view = memoryview(b"")

    def view(self, pointer, size):
        """Valid until the next call into the module."""
        return self._current_view()[pointer:pointer + size]

    def read(self, pointer, size):
        return self.view(pointer, size).tobytes()

    def write(self, pointer, data):
        self._current_view()[pointer:pointer + len(data)] = data

    def _current_view(self):
        size = _data_size(self._context, self._memory)
        if size != len(self._view):
            self._view = memoryview((ctypes.c_uint8 * size).from_address(_data(self._context, self._memory))).cast("B")
        return self._view
