// Replaces the abort functions of the C++ library: the message is logged without formatting. The originals would link
// printf, which nothing else needs.
#include <__verbose_abort>
#include <cstdlib>

#include "edge/host/system.hpp"

namespace {

[[noreturn]] void abort_with(const char* text) {
  portail::edge::write_abort_message(text);
  std::abort();
}

}  // namespace

// Of libc++abi: called for a pure virtual function.
extern "C" [[noreturn]] void abort_message(const char* format, ...);  // NOLINT(cert-dcl50-cpp)
extern "C" void abort_message(const char* format, ...) { abort_with(format); }

// Of libc++, which lets programs replace it.
[[noreturn]] void std::__libcpp_verbose_abort(const char* format, ...) { abort_with(format); }
