// Encodes elements of a document as stored values. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/exchange/document/elements.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {

std::string stored_form(const ThirdPartyElement& third_party);
std::string stored_form(const BundleElement& bundle, std::uint64_t deposits);

// Returns the number of the pieces of `bundle` whose deposit differs from the same piece's in `stored`. Without a
// stored bundle every deposit is new.
Result<std::uint64_t> count_new_deposits(const BundleElement& bundle, const std::optional<Bundle>& stored);

}  // namespace portail
