// The last audit record, and what connects a record to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/base/time.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// What connects an audit record to its predecessor. Values; any thread.

struct AuditLink {
  std::optional<AuditName> previous;
  std::string previous_hash;  // 64 lower-case hexadecimal digits; empty if the predecessor is missing or has no hash
  std::string salt;           // of the new record: 32 hexadecimal digits, random
};

// Returns the link of a new record to `previous`, whose text is `record`.
[[nodiscard]] AuditLink link_to(Context& context, AuditName previous, std::string_view record);

// The same; reads the predecessor. nullopt: the first record of a chain.
Task<AuditLink> read_link(Context& context, Session& session, std::optional<AuditName> previous);
Task<AuditLink> read_link(Context& context, KeyValueStore& store, std::optional<AuditName> previous);

// The value config.audit: the last record of the chain of calls and erasures, which no other value names, and the time
// up to which records were removed. One thread at a time.
//
//   audit TAB audit.TIME.ID LF   absent: there are no such records, or an earlier version wrote them
//   pruned TAB TIME LF           microseconds since 1970, 16 digits; absent: no record was removed

struct AuditState {
  std::optional<AuditName> last_call;
  std::optional<Instant> pruned_before;  // records older than this were removed
};

// Fails with Failure::corrupt if the value is invalid.
Task<AuditState> read_audit_state(Context& context, KeyValueStore& store);

// Writes a record of the chain of calls: the text that `make_record` returns for its link. Calls `make_record` again
// after a lost race. The record is stored when this ends; its key is after `older`.
Task<void> append_call_record(Context& context, KeyValueStore& store,
                              std::function<std::string(const AuditLink&)> make_record,
                              std::optional<AuditName> older = std::nullopt);

// Sets pruned_before, unless it is later already.
Task<void> record_pruning(Context& context, KeyValueStore& store, Instant before);

}  // namespace portail
