// PORTAIL_STORE of a component whose store is a bucket of its host's: bucket:NAME; left out, "default".
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace portail::edge {

inline std::expected<std::string, std::string> bucket_of(const std::string& setting) {
  constexpr std::string_view scheme = "bucket:";
  if (setting.empty()) return "default";
  if (!setting.starts_with(scheme) || setting.size() == scheme.size()) {
    return std::unexpected("PORTAIL_STORE is bucket:NAME, such as bucket:default, not " + setting);
  }
  return setting.substr(scheme.size());
}

}  // namespace portail::edge
