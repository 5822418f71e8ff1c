// A look at every stored third party and bundle, after the document's are written: who may look for what, and what has
// to go. One thread at a time.
#pragma once

#include <string>

#include "core/exchange/import.hpp"
#include "core/exchange/steps/check.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/steps/people_index.hpp"

namespace portail {

// Keys, many of them.
class Keys {
 public:
  void add(std::string_view key);
  // Removes them all from the store.
  Task<void> remove(Context& context, Commit& commit) const;

 private:
  std::string lines_;  // a key holds no line break
};

struct Survey {
  PeopleIndex index;  // without what has to go
  Keys departing_third_parties;
  Keys departing_bundles;
};

// What has to go is counted in `report`.
Task<void> take_survey(Context& context, KeyValueStore& store, const CheckedDocument& document,
                       const ImportOptions& options, ImportProgress& progress, ImportReport& report, Survey& survey);

}  // namespace portail
