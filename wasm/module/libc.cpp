// Replaces functions of the C and C++ libraries that would import WASI: the module has no other imports than its own.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "wasm/module/system.hpp"

namespace {

[[noreturn]] void abort_with(const char* text) {
  portail::wasm::HostLog(0).warn("abort", text);
  __builtin_trap();
}

}  // namespace

extern "C" {

// The random source of libsodium.
int getentropy(void* bytes, std::size_t size) {
  portail::wasm::HostRandom().fill({static_cast<std::byte*>(bytes), size});
  return 0;
}

// simdjson reads a variable of its own.
char* getenv(const char*) { return nullptr; }

void abort() { abort_with("out of memory, or a fault in the module"); }  // NOLINT(misc-definitions-in-headers)

// Of libc++abi: called for a pure virtual function.
[[noreturn]] void abort_message(const char* format, ...);  // NOLINT(cert-dcl50-cpp)
void abort_message(const char* format, ...) { abort_with(format); }

// Of Emscripten. Hosts need no notification: they get the memory again after each call (wasm/abi/portail.h).
void emscripten_notify_memory_growth(std::size_t) {}
}

// Of libc++, which lets programs replace it.
[[noreturn]] void std::__libcpp_verbose_abort(const char* format, ...) { abort_with(format); }
