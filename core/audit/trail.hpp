// Reads and prunes the audit trail, for tools: these functions scan the store. One call, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class AuditVisitor {
 public:
  virtual ~AuditVisitor() = default;
  // Receives one record: the JSON object of audit_record.hpp, valid during the call. Returning false ends the scan.
  // The visitor must not call the store.
  virtual bool visit(AuditName name, std::string_view record) = 0;
};

// The last records that `configuration` and `droits` name, in this order.
using NamedRecords = std::array<std::optional<AuditName>, 2>;
// Read it before a scan: a record is stored before a value names it, so the scan finds all records of these chains.
Task<NamedRecords> read_named_records(Context& context, KeyValueStore& store);

// The records that count: those of the chains that verify_audit (verification.hpp) verifies.
struct AuditNames {
  std::vector<AuditName> names;  // in the order of time
  std::uint64_t hidden = 0;      // the number of records that no chain and no interrupted write explains
};
// Memory: that of a verification. Fails with Failure::corrupt if a record's key, text or `previous` is invalid.
Task<AuditNames> reachable_audit_records(Context& context, KeyValueStore& store);

// Visits every record that counts, in the order of time. Concurrent changes are not visited. Returns the number of
// hidden records. Fails as reachable_audit_records.
Task<std::uint64_t> read_audit_trail(Context& context, KeyValueStore& store, AuditVisitor& visitor);

// Removes the records older than `before`, unreachable ones included, in commits of at most 1,000. Returns their
// number. If there are any, the value config.audit has `before` first (audit_state.hpp). Old records are at the far
// ends of the chains, so the remaining ones stay reachable.
Task<std::uint64_t> prune_audit_trail(Context& context, KeyValueStore& store, Instant before);

struct PrunedAudit {
  static constexpr std::int64_t max_days = 31;

  std::uint64_t removed = 0;
  bool has_kept = false;  // expired records
};
// The same without an operator: removes the expired records, but at most those of max_days from the oldest one on. A
// clock that is far ahead would remove all of them.
Task<PrunedAudit> prune_expired_audit(Context& context, KeyValueStore& store, std::int64_t days_to_keep);
inline constexpr std::string_view why_expired_audit_is_kept =
    "a start or an import removes the oldest 31 days; if the clock is right, remove the others by portail audit "
    "--prune";

}  // namespace portail
