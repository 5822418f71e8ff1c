// Compares two versions of an entity. Pure functions; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/exchange/changes.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

using MemberNames = std::vector<std::string_view>;

// Return the document's names of the members that differ.
template <class Record>
MemberNames differences(const Record& before, const Record& after) {
  MemberNames names;
  for (const Field<Record>& field : fields_of<Record>) {
    if (before.*field.stored != after.*field.stored) names.push_back(field.name);
  }
  return names;
}
MemberNames differences(const ThirdParty& before, const ThirdParty& after);
MemberNames differences(const Bundle& before, const Bundle& after);
MemberNames differences(const OwnedMailObject& before, const OwnedMailObject& after);
MemberNames differences(const Configuration& before, const Configuration& after);

// Returns the pieces whose status differs, first those of `after`; nullptr: a bundle that does not exist. The views are
// of the stored values. Fails with Failure::corrupt if a piece is invalid.
Result<std::vector<PieceChange>> piece_changes(const Bundle* before, const Bundle* after);
// A plain record has no pieces.
inline Result<std::vector<PieceChange>> piece_changes(const void* /*before*/, const void* /*after*/) { return {}; }

}  // namespace portail
