// The second reading of a document: third parties and bundles are written. One thread at a time.
#pragma once

#include "core/crypto/hash.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/exchange/import.hpp"

namespace portail {

// Upserts by id; what is stored already is not written again. Counts into `report`: sections and deposits. A document
// whose bytes do not have the hash `checked` is a fault, found at its end at the latest.
Task<void> write_entities(Context& context, KeyValueStore& store, ImportInput& input, const ImportOptions& options,
                          ImportProgress& progress, const Hash16& checked, Faults& faults, ImportReport& report);

}  // namespace portail
