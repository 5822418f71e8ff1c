// Verifies the chains of the audit, for tools: it scans the store. One call, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/audit/checkpoint.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct VerifiedChain {
  std::uint64_t records = 0;
  std::uint64_t unverified = 0;    // of them, older than the chain: an earlier version of the program wrote them
  std::optional<AuditName> first;  // the oldest record with a hash
};

// What the audit is compared with.
struct AuditExpectations {
  std::span<const Checkpoint> checkpoints;
  std::optional<Instant> max_pruned_before;  // records since then must not be pruned; nullopt: not checked
};

struct AuditVerification {
  std::array<VerifiedChain, audit_chains.size()> chains;  // by AuditChain
  Checkpoint state;                                       // of now
  std::vector<AuditName> records;                         // of all chains, in the order of time
  bool is_readable = true;  // false: a key is not that of a record, or a text is no JSON object with a valid `previous`
  // Records that are in no chain.
  std::uint64_t unconnected = 0;
  // Their keys, at most max_audit_faults, if an interrupted write explains them: a change that lost a race, or that a
  // crash ended before a value named its record.
  std::vector<std::string> unconnected_keys;
  // Those that no interrupted write explains. Each is a fault, unless a fault cut its chain off.
  std::uint64_t hidden = 0;
  std::uint64_t erased_records = 0;  // with personal strings that `portail person erase` replaced
  // Keys of imports whose outcome is in no chain: they were interrupted when they had just written it.
  std::vector<std::string> unconfirmed_imports;
  std::uint64_t matching_checkpoints = 0;
  std::uint64_t pruned_checkpoints = 0;  // whose records were all pruned: nothing is left to compare
  std::uint64_t fault_count = 0;
  std::vector<std::string> faults;  // one line each, at most max_audit_faults
};
inline constexpr std::size_t max_audit_faults = 100;

// Verifies that each record has the hash of its predecessor, that none is missing or out of order, that each erased
// string is of a recorded erasure and no other one is there again, that no record was added outside the chains, and
// that the records of the checkpoints are still there. Memory: that of audit_entries.hpp. Changes during the call are
// not verified.
Task<AuditVerification> verify_audit(Context& context, KeyValueStore& store, const AuditExpectations& expected);

}  // namespace portail
