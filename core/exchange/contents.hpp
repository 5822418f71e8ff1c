// Counts the contents of a store, for the operator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/steps/type_codes.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct StoreContents {
  bool is_complete = true;                                     // false: an import is running, or was interrupted
  std::array<std::uint64_t, section_names.size()> elements{};  // of each section
  std::uint64_t template_files = 0;                            // number of mail objects with a template file
  std::uint64_t audit_records = 0;
  // Values of typeObjet that several mail objects have; imports reject them.
  std::vector<SharedTypeCode> shared_type_codes;

  [[nodiscard]] std::uint64_t& of(Section section) { return elements[static_cast<std::size_t>(section)]; }
  [[nodiscard]] std::uint64_t of(Section section) const { return elements[static_cast<std::size_t>(section)]; }
};

// Counts the contents and checks them; writes nothing. Holds one value or template file in memory at a time, and of
// each third party and bundle what an import holds (core/exchange/steps/people_index.hpp). The counts are not of one
// snapshot. Fails as the store does, with Failure::corrupt if the catalogue, the grants, a third party or a bundle is
// invalid, or a bundle is not what its revision is the hash of, or if a value is missing that others refer to. A
// damaged third party or bundle and a missing value are logged with their keys. Tries again while imports change the
// store. One thread.
Task<StoreContents> count_contents(Context& context, KeyValueStore& store);

}  // namespace portail
