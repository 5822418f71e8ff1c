// The audit records of changes other than imports. One thread at a time.
#pragma once

#include <string_view>

#include "core/audit/change_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Writes the record of a change that follows: "name":value, where `value` is JSON. The value `configuration` names it,
// as it names those of imports.
Task<void> record_change(Context& context, KeyValueStore& store, AuditAction action, const Author& author,
                         std::string_view name, std::string_view value);

}  // namespace portail
