#include "core/portal/audit/verification.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/utc_text.hpp"
#include "core/json/reader.hpp"
#include "core/portal/audit/audit_state.hpp"
#include "core/portal/audit/change_record.hpp"
#include "core/portal/audit/record_hash.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

struct Entry {
  AuditName name;
  std::optional<AuditName> previous;  // in its chain
  std::optional<Hash32> previous_hash;
  std::optional<Hash32> hash;
  std::optional<Hash32> hash_without_outcome;  // of a finished import
  // The import and the hash that this record of an outcome confirms.
  std::optional<std::pair<AuditName, Hash32>> confirmed;
  bool is_record = false;
  bool is_visited = false;
};

// All records, ordered by name.
class Records final : public Visitor {
 public:
  bool visit(std::string_view key, std::string_view value) override {
    const auto name = audit_name_of(key);
    if (!name) {
      invalid_keys.emplace_back(key);
      return true;
    }
    Entry entry;
    entry.name = *name;
    entry.hash = audit_record_hash(key, value);
    const auto document = parse_json(value);
    if (const auto object = document ? object_of(document->root()) : std::nullopt) {
      entry.is_record = true;
      const auto previous = string_member(*object, "previous");
      entry.previous =
          audit_name_of(previous.or_else([&] { return string_member(*object, "previousCall"); }).value_or(""));
      entry.previous_hash = parse_hash32(string_member(*object, "previousHash").value_or(""));
      const auto action = string_member(*object, "action");
      if (action == name_of(AuditAction::import)) {
        if (const auto text = without_outcome(value)) entry.hash_without_outcome = audit_record_hash(key, *text);
      } else if (action == name_of(AuditAction::import_outcome)) {
        entry.confirmed = confirmed_by(*object);
      }
    }
    entries.push_back(entry);
    return true;
  }

  Entry* find(AuditName name) {
    const auto found = std::ranges::lower_bound(entries, name, {}, &Entry::name);
    return found != entries.end() && found->name == name ? &*found : nullptr;
  }

  std::vector<Entry> entries;
  std::vector<std::string> invalid_keys;

 private:
  static std::optional<std::pair<AuditName, Hash32>> confirmed_by(JsonObject object) {
    const auto import = audit_name_of(string_member(object, "import").value_or(""));
    const auto hash = parse_hash32(string_member(object, "hash").value_or(""));
    return import && hash ? std::optional(std::pair(*import, *hash)) : std::nullopt;
  }
};

class Verifier {
 public:
  Verifier(Records& records, AuditVerification& result) : records_(records), result_(result) {}

  // Walks the chain back from `last`.
  void walk(AuditChain chain, std::optional<AuditName> last) {
    VerifiedChain& verified = result_.chains[index(chain)];
    const Entry* next = nullptr;
    for (std::optional<AuditName> name = last; name;) {
      Entry* const entry = records_.find(*name);
      if (!is_usable(chain, *name, entry, next)) return;
      entry->is_visited = true;
      if (next) check_link(*entry, *next);
      if (entry->confirmed) outcomes_.insert(*entry->confirmed);
      ++verified.records;
      if (entry->hash) {
        verified.first = entry->name;
      } else {
        ++verified.unverified;
      }
      if (!next && entry->hash) result_.state.ends[index(chain)] = ChainEnd{.last = entry->name, .hash = *entry->hash};
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
      const Entry* entry = records_.find(end->last);
      if (!entry && was_pruned(end->last)) continue;
      if (!entry || !entry->is_visited || (end->hash != entry->hash && end->hash != entry->hash_without_outcome)) {
        return add_fault(prefix + audit_key(end->last) +
                         (entry ? " was changed or disconnected since" : " is missing") +
                         ": records were removed or rewritten, or an older store was restored");
      }
      is_matched = true;
    }
    ++(is_matched || !has_end ? result_.matching_checkpoints : result_.pruned_checkpoints);
  }

  void add_fault(std::string text) {
    ++result_.fault_count;
    if (result_.faults.size() < max_audit_faults) result_.faults.push_back(std::move(text));
  }

 private:
  static std::size_t index(AuditChain chain) { return static_cast<std::size_t>(chain); }

  [[nodiscard]] bool was_pruned(AuditName name) const {
    return result_.state.pruned_before && Instant{name.time} < *result_.state.pruned_before;
  }

  // Reports a record that the chain cannot have at this position. `next` is its successor, null for the last record.
  bool is_usable(AuditChain chain, AuditName name, const Entry* entry, const Entry* next) {
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
    if (entry->is_visited) {
      add_fault(key + " is in two chains: " + successor + " names it too");
      return false;
    }
    if (!entry->is_record) add_fault(key + " is not an audit record: it was changed");
    return entry->is_record;
  }

  void check_link(const Entry& entry, const Entry& next) {
    const std::string key = audit_key(entry.name);
    if (!next.previous_hash) {
      if (entry.hash) {
        add_fault(audit_key(next.name) + " does not have the hash of " + key +
                  ": it was removed, or an earlier version of the program wrote the record");
      }
      return;
    }
    if (next.previous_hash == entry.hash) return;
    if (next.previous_hash != entry.hash_without_outcome) {
      return add_fault(key + " was changed: " + audit_key(next.name) + " has another hash of it");
    }
    const auto outcome = outcomes_.find(entry.name);
    if (outcome == outcomes_.end()) {
      result_.unconfirmed_imports.push_back(key);
    } else if (outcome->second != entry.hash) {
      add_fault(key + " was changed: a later record confirms another outcome of this import");
    }
  }

  Records& records_;
  AuditVerification& result_;
  std::map<AuditName, Hash32> outcomes_;  // of imports, as the records of outcomes have them
};

using LastRecords = std::array<std::optional<AuditName>, audit_chains.size()>;

// Returns the last records of the chains, by AuditChain.
Task<LastRecords> read_last_records(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  constexpr std::array keys{configuration_key, grants_key};
  std::array<Value, keys.size()> values;
  co_await session->get(context, keys, values);
  LastRecords last;
  for (std::size_t i = 0; i < keys.size(); ++i) last[i] = (co_await read_audited_value(values[i].value_or(""))).last;
  last.back() = (co_await read_audit_state(context, store)).last_call;
  co_return last;
}

}  // namespace

Task<AuditVerification> verify_audit(Context& context, KeyValueStore& store, std::span<const Checkpoint> checkpoints) {
  AuditVerification result;
  result.state.time = context.clock.now();
  // A record is stored before a value names it, and the time of pruning before records are removed.
  const LastRecords last = co_await read_last_records(context, store);
  Records records;
  co_await store.scan(context, audit_prefix, records);
  result.state.pruned_before = (co_await read_audit_state(context, store)).pruned_before;

  Verifier verifier(records, result);
  for (const std::string& key : records.invalid_keys) verifier.add_fault(key + " is not the key of an audit record");
  for (const AuditChain chain : audit_chains) verifier.walk(chain, last[static_cast<std::size_t>(chain)]);
  for (const Checkpoint& checkpoint : checkpoints) verifier.compare(checkpoint);
  result.unconnected = static_cast<std::uint64_t>(std::ranges::count(records.entries, false, &Entry::is_visited));
  co_return result;
}

}  // namespace portail
