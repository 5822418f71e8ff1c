# The toolchain that portail-edge was built by, which also finds the package it came with:
#   cmake -B build --toolchain .../share/portail-edge/toolchain.cmake
include("${CMAKE_CURRENT_LIST_DIR}/wasi.cmake")
set(portail-edge_DIR "${CMAKE_CURRENT_LIST_DIR}/../../lib/cmake/portail-edge" CACHE PATH "The CMake package")
set(CMAKE_CROSSCOMPILING_EMULATOR wasmtime run)
