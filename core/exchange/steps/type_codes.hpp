// Checks that typeObjet is unique among mail objects. Codes are compared as texts, exactly but for Unicode
// composition. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exchange/steps/check.hpp"

namespace portail {

// Adds a fault for each mail object of the document whose code another one would have after the import, changes and
// pruning included. A code shared by stored mail objects only is not a fault.
void check_type_codes(const CheckedDocument& document, const StoredMailObjects& stored, const ImportOptions& options,
                      Faults& faults);

// A code that several stored mail objects have, in a store written by a version without this rule.
struct SharedTypeCode {
  std::string code;                // of the first: a JSON string
  std::vector<std::uint64_t> ids;  // ascending, at least two
};
[[nodiscard]] std::vector<SharedTypeCode> shared_type_codes(const StoredMailObjects& stored);

}  // namespace portail
