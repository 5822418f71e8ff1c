// Converts simdjson's handles to the JsonHandle of core/json/value.hpp and back, byte by byte. For core/json only.
#pragma once

#include <bit>
#include <type_traits>

#include <simdjson.h>

#include "core/json/value.hpp"

namespace portail {

template <class Handle>
JsonHandle handle_of(const Handle& handle) {
  static_assert(sizeof(Handle) == sizeof(JsonHandle) && std::is_trivially_copyable_v<Handle>);
  return std::bit_cast<JsonHandle>(handle);
}

template <class Handle>
Handle simdjson_handle(JsonHandle handle) {
  static_assert(sizeof(Handle) == sizeof(JsonHandle) && std::is_trivially_copyable_v<Handle>);
  return std::bit_cast<Handle>(handle);
}

}  // namespace portail
