// Scans all stored entities after the document's were written: builds the index, and finds those to prune. One thread
// at a time.
#pragma once

#include <array>
#include <string>

#include "core/exchange/import.hpp"
#include "core/exchange/steps/check.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/steps/people_index.hpp"
#include "core/exchange/stored_entities.hpp"

namespace portail {

// A compact list of keys.
class KeyList {
 public:
  void add(std::string_view key);
  // Removes all keys from the store.
  Task<void> remove(Context& context, Commit& commit) const;

 private:
  std::string lines_;  // keys contain no line breaks
};

struct StoreScan {
  PeopleIndex index;  // without the entities to prune
  std::array<KeyList, stored_entities.size()> removed;
};

// Counts the entities to prune in `report`.
Task<void> scan_store(Context& context, KeyValueStore& store, const CheckedDocument& document,
                      const ImportOptions& options, ImportProgress& progress, ImportReport& report,
                      StoreScan& store_scan);

}  // namespace portail
