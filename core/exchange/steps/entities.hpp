// The second pass over a document: writes third parties and bundles. One thread at a time.
#pragma once

#include "core/crypto/hash.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/exchange/import.hpp"

namespace portail {

// Upserts entities by id; unchanged ones are not written. Updates the sections and deposits of `report`. Adds a fault
// if the document's bytes do not have the hash `checked_hash`, at its end at the latest.
Task<void> write_entities(Context& context, KeyValueStore& store, ImportInput& input, const ImportOptions& options,
                          ImportProgress& progress, const Hash16& checked, Faults& faults, ImportReport& report);

}  // namespace portail
