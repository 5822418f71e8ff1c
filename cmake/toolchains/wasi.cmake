# WASI preview 1, a command: Debian's clang-19 and wasi-libc; tests run under wasmtime, which tools/dev puts into build/wasmtime.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET wasm32-wasi)
endforeach()
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)

# libsodium and googletest name signals; none is ever raised.
set(CMAKE_C_FLAGS_INIT -D_WASI_EMULATED_SIGNAL)
set(CMAKE_CXX_FLAGS_INIT -D_WASI_EMULATED_SIGNAL)
# The stack comes first in memory: one that overflows traps, and does not run into the data.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-mexec-model=command -Wl,--stack-first -Wl,-z,stack-size=1048576 -lwasi-emulated-signal")

set(CMAKE_FIND_ROOT_PATH /usr/lib/wasm32-wasi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/../../build/wasmtime/wasmtime;run;-C;cache=y")
