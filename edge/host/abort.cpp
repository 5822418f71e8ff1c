// How a component ends where the standard library would print and abort: it traps. The library's own way brings in
// printf, eleven thousand bytes that nobody reads: a host says where the trap was.
#include <__verbose_abort>

// From LLVM 20 on the header says by this whether its function is noexcept.
#ifndef _LIBCPP_VERBOSE_ABORT_NOEXCEPT
#define _LIBCPP_VERBOSE_ABORT_NOEXCEPT
#endif

// [libc++, "Termination handler": a program may define it]
_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) _LIBCPP_VERBOSE_ABORT_NOEXCEPT { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD

// [Itanium C++ ABI, 3.2.6]
extern "C" [[noreturn]] void __cxa_pure_virtual() { __builtin_trap(); }

// What libc++abi calls where memory is out, among others.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }
