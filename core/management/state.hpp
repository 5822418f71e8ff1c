// The state of a portal for operators, with its last import.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/response.hpp"
#include "core/management/call.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The last import, from the audit. One thread at a time.

struct LastImport {
  std::string record;        // its JSON object, as stored
  bool is_finished = false;  // false: it runs, or was interrupted
};

// Returns the last import among the last hundred changes of `configuration`; nullopt if there is none.
Task<std::optional<LastImport>> read_last_import(Context& context, KeyValueStore& store);

// Returns the answer to a call that must wait for a running import. If the audit has its record already, `data` is
// {"import":{…}}: who began it, and when.
Task<Response> import_conflict(Context& context, KeyValueStore& store, std::string_view message);

// GET /manage/status and GET /manage/check (docs/reference/management.md, "Calls"). Any thread.

// Reads a few values: the version, the layout of the store, the keys, and the last import.
Task<Response> get_status(Context& context, const ManagementCall& call);
// Reads the whole store, and counts its contents.
Task<Response> get_check(Context& context, const ManagementCall& call);

}  // namespace portail
