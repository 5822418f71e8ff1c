// How the C++ library ends a component whose state it no longer believes: what it says goes to standard error as it is.
// Its own functions format the text with printf, which a component carries for nothing else.
#include <__verbose_abort>
#include <cstdlib>

#include "edge/host/standard_error.hpp"

namespace {

[[noreturn]] void say_and_end(const char* text) {
  portail::edge::write_standard_error(text);
  std::abort();
}

}  // namespace

// libc++abi's, for calls of virtual functions that are not there.
extern "C" [[noreturn]] void abort_message(const char* format, ...);  // NOLINT(cert-dcl50-cpp)
extern "C" void abort_message(const char* format, ...) { say_and_end(format); }

// libc++'s, which it lets programs replace.
[[noreturn]] void std::__libcpp_verbose_abort(const char* format, ...) { say_and_end(format); }
