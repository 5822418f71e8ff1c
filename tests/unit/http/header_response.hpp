// Access to the headers of an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/http/response.hpp"

namespace portail {

// Returns the header of exactly that name; nullopt if there is none, or more than one.
inline std::optional<std::string_view> only_header(const Response& response, std::string_view name) {
  std::optional<std::string_view> found;
  for (const HeaderField& header : response.headers) {
    if (header.name != name) continue;
    if (found) return std::nullopt;
    found = header.value;
  }
  return found;
}

inline std::string_view body_text(const Response& response) { return std::get<std::string>(response.body); }

}  // namespace portail
