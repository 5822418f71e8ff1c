// The version of the storage layout, MAJOR or MAJOR.MINOR, stored under the key `format`. The first import writes it;
// every program checks it before it uses other keys. A later minor version only adds fields at the ends of lines, and
// lines of new kinds, which earlier programs ignore and preserve (docs/reference/storage-layout.md, "Versions"). Any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::string_view current_format = "1";

enum class FormatState : std::uint8_t {
  absent,       // the store is empty
  older_minor,  // the layout of an earlier minor version: an import makes it this program's
  current,      // this program's layout
  newer_minor,  // the layout of a later minor version: requests are served, imports are refused
  newer,        // the layout of a later major version: must be neither read nor written
  unknown,      // not a version number: not this program's data
};

// Returns the state of a store whose key `format` has that value, for a program that writes `current`.
FormatState format_state(Value version, std::string_view current = current_format);
// Returns whether requests may be served from the store.
constexpr bool is_readable(FormatState state) { return state != FormatState::newer && state != FormatState::unknown; }
// Returns whether the store has a portal that this program can read.
constexpr bool has_portal(FormatState state) { return state != FormatState::absent && is_readable(state); }
// Returns whether an import may write to the store.
constexpr bool accepts_imports(FormatState state) {
  return state == FormatState::absent || state == FormatState::older_minor || state == FormatState::current;
}

// Reads the key `format`. Fails with the failure of the read.
Task<FormatState> read_format(Context& context, Session& session);
// The same in a session of its own. `store` must outlive the task.
Task<FormatState> read_format(Context& context, KeyValueStore& store);

// Returns one line for the operator, without a full stop: the state and what to do.
std::string_view describe(FormatState state);

}  // namespace portail
