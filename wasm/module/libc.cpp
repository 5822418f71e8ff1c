// Replaces functions of the C and C++ libraries that would import WASI: the module has no other imports than its own.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

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

// The clocks of libc++.
int clock_gettime(clockid_t clock, timespec* time) {
  constexpr std::int64_t second = 1'000'000;
  const std::int64_t now = clock == CLOCK_MONOTONIC ? portail_monotonic() : portail_now();
  time->tv_sec = now / second;
  time->tv_nsec = static_cast<long>(now % second * 1000);
  return 0;
}

// Of the errors that host_files.cpp has.
char* strerror(int code) {
  static char missing[] = "no such file or folder";
  static char occupied[] = "it exists";
  static char other[] = "another kind of file";
  static char memory[] = "the module's memory is full";
  static char failed[] = "the host's log has the reason";
  return code == ENOENT   ? missing
         : code == EEXIST ? occupied
         : code == ENXIO  ? other
         : code == ENOMEM ? memory
                          : failed;
}

// Of the descriptors of core/storage/folder, which are the host's numbers of its folders.
int close(int) { return 0; }

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
