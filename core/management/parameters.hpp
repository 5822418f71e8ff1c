// The check of a query's parameters, the same for all routes of the management interface. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// Returns a message about the first parameter that is not one of `known`, has no value or is repeated; nullopt if there
// is none. An ignored parameter would be dangerous: with a mistyped dryRun an import changes the store.
std::optional<std::string> parameter_fault(std::string_view query, std::span<const std::string_view> known);

}  // namespace portail
