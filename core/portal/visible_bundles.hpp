// The bundles that a person may see, out of those that an index names: each read checks bundle, third party and person
// anew (docs/reference/contract.md, "Who sees what"). Views live as long as the session; one request.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/portal/records/bundle.hpp"
#include "core/portal/records/bundle_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct VisibleBundle {
  Bundle bundle;
  ThirdParty third_party;
};

// One batch for the bundles and third parties of `entries`, in their order; a second one only for bundles whose third
// party has changed since the index was written. Members that no longer exist or belong are skipped. `person` is a
// JSON string.
Task<std::vector<VisibleBundle>> read_visible(Context& context, Session& session, std::span<const IndexEntry> entries,
                                              Relation relation, std::string_view person);

}  // namespace portail
