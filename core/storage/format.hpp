// The version of the storage layout, stored under the key `format`. The first import writes it; every program checks it
// before it uses other keys. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::string_view current_format = "1";

enum class FormatState : std::uint8_t {
  absent,   // the store is empty
  current,  // this program's layout
  newer,    // the layout of a later version: must be neither read nor written
  unknown,  // not a version number: not this program's data
};

Task<FormatState> read_format(Context& context, Session& session);

// Returns one line for the operator, without a full stop: the state and, if the store is refused, what to do.
std::string_view describe(FormatState state);

}  // namespace portail
