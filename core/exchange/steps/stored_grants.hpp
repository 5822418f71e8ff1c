// The stored grants, for those who read, count or replace them.
#pragma once

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// What stands at `droits`: empty where there are none. Views that live as long as the session. Fails as the store does,
// and with corrupt where the first line is none of the audit's.
Task<AuditedValue> read_stored_grants(Context& context, Session& session);

}  // namespace portail
