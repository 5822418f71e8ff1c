// Elements of a document as the store holds them. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/exchange/document/elements.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {

std::string stored_form(const ThirdPartyElement& third_party);
std::string stored_form(const BundleElement& bundle, std::uint64_t deposits);

// How many pieces of `bundle` have a deposit that `stored`, the bundle's present value, does not have for the same
// piece. Without a present value every deposit is new.
Result<std::uint64_t> count_new_deposits(const BundleElement& bundle, const std::optional<Bundle>& stored);

}  // namespace portail
