// The last import, from the audit. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct LastImport {
  std::string record;        // its JSON object, as stored
  bool is_finished = false;  // false: it runs, or was interrupted
};

// Returns the last import among the last hundred changes of `configuration`; nullopt if there is none.
Task<std::optional<LastImport>> read_last_import(Context& context, KeyValueStore& store);

}  // namespace portail
