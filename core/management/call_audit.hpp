// The audit record of a call of the management interface that changes nothing, or fails. Only the value config.audit
// names it: it moves neither an entity tag nor the revision of a folder. One thread at a time.
#pragma once

#include <string_view>

#include "core/audit/change_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Writes the record: "id":…,"query":…,"status":…. `id` is the decoded segment of {id}, null in the record unless it
// is the id of a mail object; `query` is that of the target. A
// store with the layout of a later version gets none.
Task<void> record_call(Context& context, KeyValueStore& store, const Author& author, std::string_view id,
                       std::string_view query, int status);

// The audit records of changes other than imports. One thread at a time.

// Writes the record of a change that follows: "name":value, where `value` is JSON. The value `configuration` names it,
// as it names those of imports.
Task<void> record_change(Context& context, KeyValueStore& store, AuditAction action, const Author& author,
                         std::string_view name, std::string_view value);

}  // namespace portail
