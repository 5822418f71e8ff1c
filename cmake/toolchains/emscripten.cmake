# Emscripten 3.1.69 as Debian packages it; tests run under node.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/node)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-sSTACK_SIZE=1048576 -sSTACK_OVERFLOW_CHECK=1 -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME")
