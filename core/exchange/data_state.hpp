// The state of the data that imports write, to see whether an import changed it while it was read. One thread at a
// time.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Each import has another state, and begins with an incomplete one. A PUT of a client changes no state.
struct DataState {
  std::string name;  // the key of the import; without an edition (core/storage/edition.hpp) all of `configuration`
  bool is_complete = true;  // false: an import is running, or was interrupted
  friend bool operator==(const DataState&, const DataState&) = default;
};

Task<DataState> read_data_state(Context& context, Session& session);
// Returns the current state.
Task<DataState> read_data_state(Context& context, KeyValueStore& store);

// The number of times that an export is tried while imports change the data.
inline constexpr int max_export_attempts = 3;

}  // namespace portail
