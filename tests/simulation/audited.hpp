// What the audit of a store that never suspends says. One thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail::simulation {

// The keys of the records of changes that happened.
std::set<std::string> audited_keys(KeyValueStore& store);

// The correlation ids of the PUTs among them, in their order.
std::vector<std::string> audited_requests(KeyValueStore& store);

}  // namespace portail::simulation
