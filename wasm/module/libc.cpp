// What the C and C++ libraries would ask of WASI, answered here: so the module has no imports but its own.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "wasm/module/system.hpp"

namespace {

[[noreturn]] void say_and_end(const char* text) {
  portail::wasm::HostLog(0).warn("abort", text);
  __builtin_trap();
}

}  // namespace

extern "C" {

// libsodium's source of randomness.
int getentropy(void* bytes, std::size_t size) {
  portail::wasm::HostRandom().fill({static_cast<std::byte*>(bytes), size});
  return 0;
}

// simdjson looks for a variable of its own.
char* getenv(const char*) { return nullptr; }

void abort() { say_and_end("out of memory, or a fault in the module"); }  // NOLINT(misc-definitions-in-headers)

// libc++abi's, for calls of virtual functions that are not there.
[[noreturn]] void abort_message(const char* format, ...);  // NOLINT(cert-dcl50-cpp)
void abort_message(const char* format, ...) { say_and_end(format); }

// Emscripten's, for a host that wants to know; every host looks the memory up again (wasm/abi/portail.h).
void emscripten_notify_memory_growth(std::size_t) {}
}

// libc++'s, which it lets programs replace.
[[noreturn]] void std::__libcpp_verbose_abort(const char* format, ...) { say_and_end(format); }
