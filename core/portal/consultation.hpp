// Records that a person has read a bundle (docs/reference/contract.md, "Answers: deposeeDepuisDerniereConsultation").
// One request.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Raises the person's count of seen deposits of `bundle` (its id, a JSON string) to `deposits`. Concurrent writes are
// merged by maximum; a count that does not grow is not written. A failure changes nothing.
Task<void> record_consultation(Context& context, KeyValueStore& store, std::string_view person, std::string_view bundle,
                               std::uint64_t deposits);

}  // namespace portail
