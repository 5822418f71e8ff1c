// The version of the storage layout, kept in the store itself under `format`. Written by the first import, checked by
// every program before it trusts a key. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::string_view current_format = "1";

enum class FormatState : std::uint8_t {
  absent,   // nothing was imported yet
  current,  // this program's layout
  newer,    // a later program's layout: must not be read, let alone written
  unknown,  // no version number: these are not this program's data
};

Task<FormatState> read_format(Context& context, Session& session);

// One line for an operator, without a full stop: what was found and, where the store is refused, what to do.
std::string_view describe(FormatState state);

}  // namespace portail
