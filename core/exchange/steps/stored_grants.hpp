// Reads the stored grants.
#pragma once

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns the value `droits`, empty if absent. Views that live as long as the session. Fails as the store does, and
// with Failure::corrupt if the first line is not an audit line.
Task<AuditedValue> read_stored_grants(Context& context, Session& session);

}  // namespace portail
