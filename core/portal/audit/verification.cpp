#include "core/portal/audit/verification.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/utc_text.hpp"
#include "core/portal/audit/audit_records.hpp"
#include "core/portal/audit/audit_state.hpp"
#include "core/portal/audit/trail.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

class Verifier {
 public:
  Verifier(AuditRecords& records, AuditVerification& result) : records_(records), result_(result) {}

  // Walks the chain back from `last`.
  void walk(AuditChain chain, std::optional<AuditName> last) {
    VerifiedChain& verified = result_.chains[index_of(chain)];
    const AuditEntry* next = nullptr;
    for (std::optional<AuditName> name = last; name;) {
      AuditEntry* const entry = records_.find(*name);
      if (!is_usable(chain, *name, entry, next)) return;
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
    for (const auto& [erasure, text] : records_.announced) {
      const AuditEntry* entry = records_.find(erasure);
      if (entry && entry->is_visited && entry->hash) confirmed.insert(text);
    }
    result_.erased_records = records_.erased.size();
    for (const RecordText& text : records_.erased) {
      if (confirmed.contains(text)) continue;
      has_unconfirmed_erasure_ = true;
      add_fault(audit_key(text.first) +
                " has an erased string, but no record of an erasure confirms it: it was replaced");
    }
  }
  [[nodiscard]] bool has_unconfirmed_erasure() const { return has_unconfirmed_erasure_; }

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
  bool has_unconfirmed_erasure_ = false;
};

// Returns whether the result is final. If it is not, the fault can be of an erasure during the scan: its record is not
// in the chain that was read before.
Task<bool> verify_once(Context& context, KeyValueStore& store, const AuditExpectations& expected,
                       AuditVerification& result) {
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
  verifier.check_erasures();
  if (expected.max_pruned_before) verifier.check_pruning(*expected.max_pruned_before);
  for (const Checkpoint& checkpoint : expected.checkpoints) verifier.compare(checkpoint);
  result.unconnected = static_cast<std::uint64_t>(std::ranges::count(records.entries, false, &AuditEntry::is_visited));
  co_return !verifier.has_unconfirmed_erasure() || after.last_call == call;
}

}  // namespace

Task<AuditVerification> verify_audit(Context& context, KeyValueStore& store, const AuditExpectations& expected) {
  constexpr int max_attempts = 3;
  for (int attempt = 1;; ++attempt) {
    AuditVerification result;
    if (co_await verify_once(context, store, expected, result) || attempt == max_attempts) co_return result;
  }
}

}  // namespace portail
