// typeObjet is a unique code: no two mail objects have the same one. Codes are compared exactly, as texts. One thread
// at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exchange/steps/check.hpp"

namespace portail {

// Adds a fault for each mail object of the document that would share its code with another one once the document is
// imported: what is stored counts as it will be then, changed or pruned. A code that only stored mail objects share is
// not the document's fault.
void check_type_codes(const CheckedDocument& document, const StoredMailObjects& stored, const ImportOptions& options,
                      Faults& faults);

// A code that several stored mail objects have, as stores of versions before this rule may.
struct SharedTypeCode {
  std::string code;                // JSON string
  std::vector<std::uint64_t> ids;  // ascending, at least two
};
[[nodiscard]] std::vector<SharedTypeCode> shared_type_codes(const StoredMailObjects& stored);

}  // namespace portail
