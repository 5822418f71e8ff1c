#include "core/management/parameters.hpp"

#include <algorithm>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/printable.hpp"
#include "core/base/text.hpp"
#include "core/http/query.hpp"

namespace portail {

std::optional<std::string> parameter_fault(std::string_view query, std::span<const std::string_view> known) {
  std::vector<std::string_view> given;
  while (const auto parameter = next_parameter(query)) {
    const auto found =
        std::ranges::find_if(known, [&](std::string_view name) { return equals_ignoring_case(parameter->name, name); });
    if (found == known.end()) {
      return "unknown parameter \"" + printable(parameter->name) + '"' + NearestName(parameter->name, known).question();
    }
    if (trimmed(parameter->value).empty()) return std::string(*found) + " has no value";
    if (std::ranges::contains(given, *found)) return std::string(*found) + " must be given once only";
    given.push_back(*found);
  }
  return std::nullopt;
}

}  // namespace portail
