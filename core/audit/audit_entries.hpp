// The audit records of a store as verification.cpp needs them: what connects them, and no texts. One thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/audit/checkpoint.hpp"
#include "core/crypto/hash.hpp"
#include "core/json/value.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct AuditEntry {
  AuditName name;
  std::optional<AuditName> previous;  // in its chain
  std::optional<Hash32> previous_hash;
  std::optional<Hash32> hash;       // nullopt: of an earlier version
  std::optional<AuditChain> chain;  // of its action; nullopt: an action of a later version
  bool is_record = false;           // whether it has the members that every record has
  bool is_visited = false;          // for the verification
  bool is_explained = false;        // by an interrupted write, although it is in no chain
};

// A record and the hash of a text of it.
using RecordText = std::pair<AuditName, Hash32>;

// Collects the records of a scan. All members are ordered by name. Memory: 140 bytes a record, and 100 to 150 more for
// each import and for each erased record.
class AuditRecords final : public Visitor {
 public:
  bool visit(std::string_view key, std::string_view value) override;

  // Returns the record, or null.
  AuditEntry* find(AuditName name);
  // Returns the hash of a finished import before it was finished.
  [[nodiscard]] std::optional<Hash32> hash_without_outcome(AuditName import) const;

  std::deque<AuditEntry> entries;
  std::vector<std::string> invalid_keys;
  bool has_unreadable = false;  // a text that is no JSON object with a valid `previous`
  std::vector<AuditName> invalid_salts;
  std::map<AuditName, RecordText> outcomes;                 // by the record of an outcome: the import, and its hash
  std::vector<RecordText> erased;                           // records with erased strings, SHA-256 of their texts
  std::vector<std::pair<AuditName, RecordText>> announced;  // by the record of an erasure: the texts that it leaves

 private:
  void read_members(AuditEntry& entry, JsonObject object, std::string_view key, std::string_view value);
  void read_announced(AuditName erasure, JsonObject texts);

  std::map<AuditName, Hash32> hashes_without_outcome_;
};

}  // namespace portail
