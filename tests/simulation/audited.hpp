// Reads the audit trail of a store that never suspends. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail::simulation {

// Returns the keys of the reachable records.
std::set<std::string> audited_keys(KeyValueStore& store);

// Returns the correlation ids of the PUTs in the trail, in order.
std::vector<std::string> audited_requests(KeyValueStore& store);

}  // namespace portail::simulation
