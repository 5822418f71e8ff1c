// simdjson's handles as the places of core/json/value.hpp, and back: both are copied byte by byte, and nothing here
// looks into them. Only for core/json.
#pragma once

#include <bit>
#include <type_traits>

#include <simdjson.h>

#include "core/json/value.hpp"

namespace portail {

template <class Handle>
JsonPlace place_of(const Handle& handle) {
  static_assert(sizeof(Handle) == sizeof(JsonPlace) && std::is_trivially_copyable_v<Handle>);
  return std::bit_cast<JsonPlace>(handle);
}

template <class Handle>
Handle handle_at(JsonPlace place) {
  static_assert(sizeof(Handle) == sizeof(JsonPlace) && std::is_trivially_copyable_v<Handle>);
  return std::bit_cast<Handle>(place);
}

}  // namespace portail
