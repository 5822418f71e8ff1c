// The target of a request: path and query.
#include <algorithm>
#include <string>
#include <vector>

#include "core/api/routes.hpp"
#include "core/http/target.hpp"
#include "core/json/utf8.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

// The same path with every byte percent-encoded.
std::string encoded(std::span<const std::string_view> segments) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string path;
  for (const std::string_view segment : segments) {
    path += '/';
    for (const char c : segment) {
      const auto byte = static_cast<unsigned char>(c);
      path += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return path.empty() ? "/" : path;
}

void fuzz_query(std::string_view query) {
  for (const std::string_view name : {"SkipCount", "maxresultcount", ""}) {
    query_value(query, name);
    const auto number = int32_parameter(query, name);
    if (!number || !*number) continue;
    const std::string rewritten = std::string(name) + "=" + std::to_string(**number);
    const auto again = int32_parameter(rewritten, name);
    check(again && *again == *number, "a number reads back as itself");
  }
}

}  // namespace

void fuzz(std::string_view input) {
  const auto target = Target::parse(input);
  if (!target) return;
  fuzz_query(target->query());
  const auto segments = target->segments();
  for (const std::string_view segment : segments) {
    check(is_valid_utf8(segment), "a segment is UTF-8");
    check(segment != "." && segment != "..", "no segment climbs");
    check(std::ranges::none_of(segment, [](char c) { return c == '/' || c == '\0'; }),
          "a segment holds no / and no NUL");
  }
  const auto found = find_route(*target);
  if (segments.size() == Target::max_segments) {
    check(!found, "a path with too many segments is no route");
    return;
  }
  if (!segments.empty() && segments.back().empty()) return;  // the encoded path would have the accepted trailing slash
  const std::string rewritten = encoded(segments);
  if (rewritten.size() > Target::max_size) return;
  const auto again = Target::parse(rewritten);
  check(again && std::ranges::equal(again->segments(), segments), "the encoded path has the same segments");
  const auto found_again = find_route(*again);
  check(found.has_value() == found_again.has_value(), "the encoded path reaches the same route");
  if (found) check(found->route == found_again->route && found->id == found_again->id, "with the same id");
}
