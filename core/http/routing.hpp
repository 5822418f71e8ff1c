// Path patterns, matched against the segments of a Target, and the methods of a route. Literal segments are compared
// without regard to ASCII case. core/api and core/management have the routes. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "core/http/target.hpp"

namespace portail {

class RoutePattern {
 public:
  // "/api/app/objet-courrier/{id}/fichier-modele": literal segments, and at most one in braces, which matches any
  // segment that is not empty. The segments must be fewer than Target::max_segments. An invalid pattern does not
  // compile.
  consteval explicit RoutePattern(std::string_view text) : text_(text) {
    if (!text.starts_with('/')) not_a_pattern();
    for (std::string_view rest = text.substr(1); !rest.empty();) {
      const std::string_view segment = take_until(rest, '/');
      if (segment.empty() || count_ + 1 == segments_.size()) not_a_pattern();
      if (segment.starts_with('{')) {
        if (captured_ != none || !segment.ends_with('}')) not_a_pattern();
        captured_ = count_;
      }
      segments_[count_++] = segment;
    }
  }

  // Returns the segment for the braces, empty if the pattern has none; nullopt if the segments do not match.
  [[nodiscard]] constexpr std::optional<std::string_view> match(std::span<const std::string_view> segments) const {
    if (segments.size() != count_) return std::nullopt;
    std::string_view captured;
    for (std::size_t i = 0; i < count_; ++i) {
      if (i == captured_) {
        if (segments[i].empty()) return std::nullopt;
        captured = segments[i];
      } else if (!equals_ignoring_case(segments_[i], segments[i])) {
        return std::nullopt;
      }
    }
    return captured;
  }

  // The pattern; the route's name in logs.
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static void not_a_pattern() {}  // not constexpr: reaching it is a compile error

  std::string_view text_;
  std::array<std::string_view, Target::max_segments> segments_;
  std::size_t count_ = 0;
  std::size_t captured_ = none;
};

// A method of a route, with the function that answers it.
template <class Endpoint>
struct RouteMethod {
  std::string_view method;
  Endpoint endpoint = nullptr;
  bool is_allowed = true;  // false for a method that is answered but not listed in Allow
};

// Returns the endpoint of a method; GET also serves HEAD. Null if the route does not have the method.
template <class Endpoint>
[[nodiscard]] Endpoint find_endpoint(std::span<const RouteMethod<Endpoint>> methods, std::string_view method) {
  const auto found = std::ranges::find(methods, method == "HEAD" ? "GET" : method, &RouteMethod<Endpoint>::method);
  return found == methods.end() ? nullptr : found->endpoint;
}

// Returns the value of Allow: "GET, HEAD, PUT".
template <class Endpoint>
[[nodiscard]] std::string allowed_methods(std::span<const RouteMethod<Endpoint>> methods) {
  std::string list;
  for (const RouteMethod<Endpoint>& method : methods) {
    if (!method.is_allowed) continue;
    if (!list.empty()) list += ", ";
    list += method.method;
    if (method.method == "GET") list += ", HEAD";
  }
  return list;
}

}  // namespace portail
