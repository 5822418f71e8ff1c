"""Calls between Python and a module, by wasmtime's C interface, which the package `wasmtime` carries.

The package's own functions ask wasmtime for their types at each call, and convert by them: that takes many times as long as
a step of the module. Here the parameters, all of 32 bits and without a sign, are packed as the C interface has them,
16 bytes each. The interpreter's lock is kept meanwhile: a step is over before another thread would have it.

Of the package this uses what it does not promise to keep; requirements.txt says which version it is.
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
_result, _long_result = struct.Struct("<I"), struct.Struct("<q")


def _of_library(name, result, *parameters):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, parameters
    return function


_call = _of_library("wasmtime_func_call_unchecked", _address, _address, _address, _address, _size, _address)
_define = _of_library("wasmtime_linker_define_func_unchecked", _address, _address, ctypes.c_char_p, _size, ctypes.c_char_p, _size,
                      _address, _callback, _address, _finalizer)
_data = _of_library("wasmtime_memory_data", _address, _address, _address)
_data_size = _of_library("wasmtime_memory_data_size", _size, _address, _address)


def _parameters(function_type):
    return struct.Struct("<" + "I12x" * len(function_type.params))


class Import:
    """A Python function for the module to import; it may return a number of 64 bits. Keep it as long as the module.

    What it raises ends the process: the module is in the middle of something."""

    def __init__(self, linker, module, name, function, function_type):
        parameters = _parameters(function_type)

        def called(_, caller, values, count):
            try:
                result = function(*parameters.unpack(ctypes.string_at(values, parameters.size)))
                if result is not None:
                    ctypes.memmove(values, _long_result.pack(result), _long_result.size)
            except BaseException:
                traceback.print_exc()
                os._exit(1)

        self._called = _callback(called)
        _define(ctypes.addressof(linker.ptr().contents), module.encode(), len(module), name.encode(), len(name),
                ctypes.addressof(function_type.ptr().contents), self._called, None, _finalizer())


class Export:
    """A function of the module's; 0 where it returns nothing. It is not called while it is being called already. Where the
    module traps, the process ends: the instance is then of no use any more."""

    def __init__(self, store, function):
        self._keep = store, function
        self._parameters, self._returns = _parameters(function.type(store)), len(function.type(store).results) > 0
        self._values = ctypes.create_string_buffer(max(self._parameters.size, 16))
        self._trap = _address()
        self._given = (ctypes.addressof(store._context().contents), ctypes.addressof(function._func),
                       ctypes.addressof(self._values), len(self._values) // 16, ctypes.addressof(self._trap))

    def __call__(self, *numbers):
        self._parameters.pack_into(self._values, 0, *numbers)
        error = _call(*self._given)
        if error or self._trap:
            print(f"the module ended: {_fault(error, self._trap)}", file=sys.stderr, flush=True)
            os._exit(1)
        return _result.unpack_from(self._values)[0] if self._returns else 0


def _fault(error, trap):
    if error:
        return wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(_ffi.wasmtime_error_t)))
    return wasmtime.Trap._from_ptr(ctypes.cast(trap, ctypes.POINTER(_ffi.wasm_trap_t)))


class Memory:
    """The module's memory, which grows and stays where it is otherwise."""

    def __init__(self, store, memory):
        self._context, self._memory = ctypes.addressof(store._context().contents), ctypes.addressof(memory._memory)
        self._keep = store, memory
        self._view = memoryview(b"")

    def read(self, pointer, size):
        return self._now()[pointer:pointer + size].tobytes()

    def write(self, pointer, data):
        self._now()[pointer:pointer + len(data)] = data

    def _now(self):
        size = _data_size(self._context, self._memory)
        if size != len(self._view):
            self._view = memoryview((ctypes.c_uint8 * size).from_address(_data(self._context, self._memory))).cast("B")
        return self._view
