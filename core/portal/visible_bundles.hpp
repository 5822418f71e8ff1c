// Reads the bundles of an index that a person may see. Each read checks bundle, third party and person again
// (docs/reference/contract.md, "Who sees what"). Views live as long as the session; one request.
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

// Reads the bundles and third parties of `entries` in one batch, in their order. A second batch reads third parties
// that changed since the index was written. Entries without a bundle or without the relation are skipped. `person` is a
// JSON string.
Task<std::vector<VisibleBundle>> read_visible_bundles(Context& context, Session& session,
                                                      std::span<const IndexEntry> entries, Relation relation,
                                                      std::string_view person);

}  // namespace portail
