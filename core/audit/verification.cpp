#include "core/audit/verification.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/audit/audit_entries.hpp"
#include "core/audit/audit_state.hpp"
#include "core/audit/trail.hpp"
#include "core/base/time.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

class Verifier {
 public:
  Verifier(AuditRecords& records, AuditVerification& result) : records_(records), result_(result) {}

  // Walks the chain back from `last`.
  void walk(AuditChain chain, std::optional<AuditName> last) {
    VerifiedChain& verified = result_.chains[index_of(chain)];
    Extent& extent = extents_[index_of(chain)];
    extent.is_empty = !last;
    const AuditEntry* next = nullptr;
    for (std::optional<AuditName> name = last; name;) {
      AuditEntry* const entry = records_.find(*name);
      const std::uint64_t faults = result_.fault_count;
      if (!is_usable(chain, *name, entry, next)) {
        extent.is_cut_off = result_.fault_count > faults;
        return;
      }
      entry->is_visited = true;
      if (const auto outcome = records_.outcomes.find(*name); outcome != records_.outcomes.end()) {
        outcomes_.insert(outcome->second);
      }
      if (next) check_link(*entry, *next);
      check_outcome(*entry);
      ++verified.records;
      if (entry->hash) {
        verified.first = entry->name;
      } else {
        ++verified.unverified;
      }
      if (!next && entry->hash)
        result_.state.ends[index_of(chain)] = ChainEnd{.last = entry->name, .hash = *entry->hash};
      next = entry;
      name = entry->previous;
    }
    if (next) extent.first = next->name;
  }

  // Examines the records that are in no chain. The chains must have been walked. Adds those that nothing explains to
  // `hidden`. With `suspects`, the records of an earlier attempt, it judges no others: a listing without a snapshot can
  // have a concurrent record and lack its predecessor.
  void check_unconnected(const std::optional<std::set<AuditName>>& suspects, std::set<AuditName>& hidden) {
    for (AuditEntry& entry : records_.entries) {
      if (entry.is_visited) {
        result_.records.push_back(entry.name);
        continue;
      }
      entry.is_explained = is_explained(entry);
      if (!entry.is_explained && suspects && !suspects->contains(entry.name)) continue;
      ++result_.unconnected;
      const std::string key = audit_key(entry.name);
      if (entry.is_explained) {
        if (result_.unconnected_keys.size() < max_audit_faults) result_.unconnected_keys.push_back(key);
        continue;
      }
      ++result_.hidden;
      hidden.insert(entry.name);
      if (!is_cut_off(entry)) add_fault(key + " is in no chain, and no interrupted write left it: it was added");
    }
  }

  void compare(const Checkpoint& checkpoint) {
    const std::string prefix = "checkpoint of " + utc_text(checkpoint.time) + ": ";
    if (checkpoint.pruned_before > result_.state.pruned_before) {
      return add_fault(prefix + "records were pruned by then which are not pruned now: an older store was restored");
    }
    bool is_matched = false;
    bool has_end = false;
    for (const auto& end : checkpoint.ends) {
      if (!end) continue;
      has_end = true;
      const AuditEntry* entry = records_.find(end->last);
      if (!entry && was_pruned(end->last)) continue;
      if (!entry || !entry->is_visited ||
          (end->hash != entry->hash && end->hash != records_.hash_without_outcome(end->last))) {
        return add_fault(prefix + audit_key(end->last) +
                         (entry ? " was changed or disconnected since" : " is missing") +
                         ": records were removed or rewritten, or this is an older or another store");
      }
      is_matched = true;
    }
    ++(is_matched || !has_end ? result_.matching_checkpoints : result_.pruned_checkpoints);
  }

  // Checks that the command erased what is erased: by a hashed record of the walked chain of calls, which has the hash
  // of the text that is left.
  void check_erasures() {
    for (const AuditName name : records_.invalid_salts)
      add_fault(audit_key(name) + " has an invalid salt: it was changed");
    std::set<RecordText> confirmed;
    std::map<AuditName, Hash32> last;  // by the record: the text that its last erasure left
    for (const auto& [erasure, text] : records_.announced) {
      const AuditEntry* entry = records_.find(erasure);
      if (!entry || !entry->is_visited || !entry->hash) continue;
      confirmed.insert(text);
      last.insert_or_assign(text.first, text.second);
    }
    result_.erased_records = records_.erased.size();
    for (const RecordText& text : records_.erased) {
      const auto end = last.find(text.first);
      const bool is_last = end != last.end() && end->second == text.second;
      if (is_last) last.erase(end);
      if (confirmed.contains(text)) continue;
      last.erase(text.first);
      has_erasure_fault_ = true;
      add_fault(audit_key(text.first) +
                " has an erased string, but no record of an erasure confirms it: it was replaced");
    }
    for (const auto& [name, text] : last) {
      const AuditEntry* entry = records_.find(name);
      if (!entry || !entry->hash) continue;  // it was pruned, or is of an earlier version
      has_erasure_fault_ = true;
      add_fault(audit_key(name) +
                " has strings that were erased: it was restored, or the erasure was interrupted; run portail person "
                "erase again");
    }
  }
  [[nodiscard]] bool has_erasure_fault() const { return has_erasure_fault_; }

  void check_pruning(Instant max_pruned_before) {
    const auto& pruned_before = result_.state.pruned_before;
    if (!pruned_before || *pruned_before <= max_pruned_before) return;
    add_fault("records before " + utc_text(*pruned_before) + " were removed, and the retention requires those since " +
              utc_text(max_pruned_before) + ": they were removed too early, or the portal has a shorter retention");
  }

  void add_fault(std::string text) {
    ++result_.fault_count;
    if (result_.faults.size() < max_audit_faults) result_.faults.push_back(std::move(text));
  }

 private:
  // What is known of a chain.
  struct Extent {
    bool is_empty = true;
    bool is_cut_off = false;         // by a fault: its older records are unknown
    std::optional<AuditName> first;  // its first record ever
  };

  // A first write that was interrupted is repeated at the latest by then.
  static constexpr std::int64_t max_repetition = 600'000'000;  // microseconds

  // Whether an interrupted or a lost write leaves such a record: it follows one that was the last of its chain, by its
  // name and hash. Whether its time is right cannot be seen.
  [[nodiscard]] bool is_explained(const AuditEntry& entry) const {
    if (!entry.is_record) return false;
    if (!entry.previous) return entry.chain && is_first_attempt(entry);
    if (*entry.previous >= entry.name) return false;
    const AuditEntry* const previous = records_.find(*entry.previous);
    if (!previous) return was_pruned(*entry.previous);
    if (!previous->is_visited && !previous->is_explained) return false;
    if (previous->chain && entry.chain && previous->chain != entry.chain) return false;
    if (!entry.hash) return !previous->hash;  // of an earlier version
    return entry.previous_hash == previous->hash ||
           (entry.previous_hash && entry.previous_hash == records_.hash_without_outcome(previous->name));
  }

  // Whether the record can be of an attempt to begin its chain.
  [[nodiscard]] bool is_first_attempt(const AuditEntry& entry) const {
    const Extent& extent = extents_[index_of(*entry.chain)];
    if (entry.previous_hash) return false;
    if (extent.is_empty) return entry.name.time >= result_.state.time.microseconds - max_repetition;
    if (!extent.first) return false;
    const AuditEntry* const first = records_.find(*extent.first);
    const std::int64_t difference = first->name.time - entry.name.time;
    return (entry.hash || !first->hash) && difference <= max_repetition && difference >= -max_repetition;
  }

  [[nodiscard]] bool is_cut_off(const AuditEntry& entry) const {
    if (entry.chain) return extents_[index_of(*entry.chain)].is_cut_off;
    return std::ranges::any_of(extents_, &Extent::is_cut_off);
  }

  [[nodiscard]] bool was_pruned(AuditName name) const {
    return result_.state.pruned_before && Instant{name.time} < *result_.state.pruned_before;
  }

  // Reports a record that the chain cannot have at this position. `next` is its successor, null for the last record.
  bool is_usable(AuditChain chain, AuditName name, const AuditEntry* entry, const AuditEntry* next) {
    const std::string key = audit_key(name);
    const std::string successor = next ? audit_key(next->name) : "the end of the chain " + std::string(name_of(chain));
    if (!entry) {
      if (!was_pruned(name)) add_fault(key + " is missing: " + successor + " names it");
      return false;
    }
    if (next && name >= next->name) {
      add_fault(successor + " is out of order: it names " + key + ", which is not older");
      return false;
    }
    if (entry->chain && *entry->chain != chain) {
      add_fault(key + " is not of the chain " + std::string(name_of(chain)) + ", whose " +
                (next ? "record " + audit_key(next->name) : "end") + " names it");
      return false;
    }
    if (entry->is_visited) {
      add_fault(key + " is in two chains: " + successor + " names it too");
      return false;
    }
    if (!entry->is_record) add_fault(key + " is not an audit record: it was changed");
    return entry->is_record;
  }

  void check_link(const AuditEntry& entry, const AuditEntry& next) {
    const std::string key = audit_key(entry.name);
    if (!next.previous_hash) {
      if (entry.hash) {
        add_fault(audit_key(next.name) + " does not have the hash of " + key +
                  ": it was removed, or an earlier version of the program wrote the record");
      }
      return;
    }
    if (next.previous_hash == entry.hash) return;
    if (next.previous_hash != records_.hash_without_outcome(entry.name)) {
      return add_fault(key + " was changed: " + audit_key(next.name) + " has another hash of it");
    }
    if (!outcomes_.contains(entry.name)) result_.unconfirmed_imports.push_back(key);
  }

  // All later records of its chain were visited before.
  void check_outcome(const AuditEntry& entry) {
    const auto outcome = outcomes_.find(entry.name);
    if (outcome == outcomes_.end() || outcome->second == entry.hash) return;
    add_fault(audit_key(entry.name) + " was changed: a later record confirms another outcome of this import");
  }

  AuditRecords& records_;
  AuditVerification& result_;
  std::map<AuditName, Hash32> outcomes_;  // of imports, as the records of outcomes have them
  std::array<Extent, audit_chains.size()> extents_;
  bool has_erasure_fault_ = false;
};

// Returns whether the result is final. If it is not, the fault can be of a change during the scan: its record is not in
// the chain that was read before. Sets `suspects` for the next attempt.
Task<bool> verify_once(Context& context, KeyValueStore& store, const AuditExpectations& expected,
                       std::optional<std::set<AuditName>>& suspects, AuditVerification& result) {
  result.state.time = context.clock.now();
  const auto [configuration, grants] = co_await read_named_records(context, store);
  const std::optional<AuditName> call = (co_await read_audit_state(context, store)).last_call;
  AuditRecords records;
  co_await store.scan(context, audit_prefix, records);
  // The time of pruning is stored before records are removed.
  const AuditState after = co_await read_audit_state(context, store);
  result.state.pruned_before = after.pruned_before;

  Verifier verifier(records, result);
  for (const std::string& key : records.invalid_keys) verifier.add_fault(key + " is not the key of an audit record");
  verifier.walk(AuditChain::configuration, configuration);
  verifier.walk(AuditChain::grants, grants);
  verifier.walk(AuditChain::calls, call);
  std::set<AuditName> hidden;
  verifier.check_unconnected(suspects, hidden);
  verifier.check_erasures();
  if (expected.max_pruned_before) verifier.check_pruning(*expected.max_pruned_before);
  for (const Checkpoint& checkpoint : expected.checkpoints) verifier.compare(checkpoint);
  result.is_readable = records.invalid_keys.empty() && !records.has_unreadable;
  const bool is_confirmed = hidden.empty() || suspects;
  suspects = std::move(hidden);
  co_return is_confirmed && (!verifier.has_erasure_fault() || after.last_call == call);
}

}  // namespace

Task<AuditVerification> verify_audit(Context& context, KeyValueStore& store, const AuditExpectations& expected) {
  constexpr int max_attempts = 3;
  std::optional<std::set<AuditName>> suspects;
  for (int attempt = 1;; ++attempt) {
    AuditVerification result;
    if (co_await verify_once(context, store, expected, suspects, result) || attempt == max_attempts) co_return result;
  }
}

}  // namespace portail
