// The records of all changes that happened, for tools: these scan the store. One call, one thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class AuditVisitor {
 public:
  virtual ~AuditVisitor() = default;
  // `record` is the JSON object of change_record.hpp, and lives until this returns. False ends the reading. The visitor
  // must not call the store.
  virtual bool visit(AuditName name, std::string_view record) = 0;
};

// Visits every record that can be reached from `configuration` or `droits`, in the order of the changes. Two scans:
// the first finds what is reached (32 bytes of memory a record), the second visits. What is changed meanwhile is not
// visited. Failure::corrupt for a record that names nothing readable as the one before it.
Task<void> read_audit_trail(Context& context, KeyValueStore& store, AuditVisitor& visitor);

// Removes what is older than `before`, records of changes that never happened included, in commits of at most 1,000.
// Says how many there were. What goes is at the far ends of the chains, so nothing that stays becomes unreachable.
Task<std::uint64_t> prune_audit_trail(Context& context, KeyValueStore& store, Instant before);

}  // namespace portail
