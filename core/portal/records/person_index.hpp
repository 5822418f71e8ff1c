// An index of the entities that a person may see, such as the values `utilisateur.SUB.N` and `gestionnaire.SUB.N`, of
// bundles. The index is not authoritative: each read checks entity, third party and person again.
//
//   part 0 begins   PARTS TAB "sub"
//   every part      "id" TAB "numeroTiers"
//
// Views into the stored values; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/key.hpp"

namespace portail {

// The prefixes of the indexes of bundles, by the Relation in which people see them.
inline constexpr std::array bundle_indexes{user_index_prefix, manager_index_prefix};

struct IndexEntry {
  std::string_view id;           // JSON string
  std::string_view third_party;  // numeroTiers, JSON string, at the time of the index's last write
};

// Returns the number of the index's parts, from its part 0.
Result<std::size_t> count_index_parts(std::string_view part_0);

class IndexEntries {
 public:
  IndexEntries(std::size_t part, std::string_view text);
  Result<std::optional<IndexEntry>> next();

 private:
  Lines lines_;
};

// Returns the parts to store, in order.
std::vector<std::string> encode_index(std::string_view person, std::span<const IndexEntry> entries);

}  // namespace portail
