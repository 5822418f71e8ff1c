// The first pass over a document: checks everything, writes nothing. One thread at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/crypto/hash.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/exchange/steps/mail_objects.hpp"

namespace portail {

// The result of the check: the small sections completely, the ids of the large ones.
struct CheckedDocument {
  std::bitset<section_names.size()> present;
  Hash16 hash{};  // of its bytes
  DocumentMailObjects mail_objects;
  std::array<IdSet, section_names.size()> ids;  // of the sections in stored_entities, as JSON strings
  std::string grants;                           // the value `droits`

  [[nodiscard]] IdSet& ids_of(Section section) { return ids[static_cast<std::size_t>(section)]; }
  [[nodiscard]] const IdSet& ids_of(Section section) const { return ids[static_cast<std::size_t>(section)]; }
  [[nodiscard]] bool has(Section section) const { return present[static_cast<std::size_t>(section)]; }
};

// Adds faults to `faults`, and statuses to `report`. With faults the result must not be used.
Task<CheckedDocument> check_document(Context& context, KeyValueStore& store, ImportInput& input,
                                     const ImportOptions& options, ImportProgress& progress, Faults& faults,
                                     ImportReport& report);

}  // namespace portail
