#include "core/http/conditional.hpp"

#include <array>
#include <cstddef>

#include "core/base/text.hpp"
#include "core/http/problem.hpp"

namespace portail {
namespace {

enum class Comparison : bool { weak, strong };

// etagc, RFC 9110 section 8.8.3: visible ASCII but the quote, and anything beyond ASCII.
constexpr bool is_tag_character(char c) { return c != '"' && c != '\x7f' && static_cast<unsigned char>(c) > 0x20; }

// Returns whether `opaque`, a tag with its quotes, is `tag` or its form in a compressed answer.
bool matches_tag(std::string_view opaque, std::string_view tag) {
  constexpr std::array<std::string_view, 4> codings{"", "-gzip", "-br", "-zstd"};
  const std::string_view text = tag.substr(0, tag.size() - 1);
  for (const std::string_view coding : codings) {
    if (opaque.size() == tag.size() + coding.size() && opaque.starts_with(text) &&
        opaque.substr(text.size(), coding.size()) == coding) {
      return true;
    }
  }
  return false;
}

struct ListMatch {
  bool is_malformed = false;
  bool has_tag = false;
  bool has_weak = false;
};

// Searches one header line, a list of entity tags, for `tag`. Empty elements are allowed (RFC 9110 section 5.6.1.2).
ListMatch match_list(std::string_view list, std::string_view tag, Comparison comparison) {
  constexpr ListMatch malformed{.is_malformed = true};
  ListMatch match;
  for (bool needs_comma = false;;) {
    const std::size_t start = list.find_first_not_of(" \t");
    if (start == std::string_view::npos) return match;
    list.remove_prefix(start);
    if (list.starts_with(',')) {
      needs_comma = false;
      list.remove_prefix(1);
      continue;
    }
    const bool is_weak = list.starts_with("W/");
    if (is_weak) list.remove_prefix(2);
    if (needs_comma || !list.starts_with('"')) return malformed;
    std::size_t end = 1;
    while (end < list.size() && is_tag_character(list[end])) ++end;
    if (end == list.size() || list[end] != '"') return malformed;
    const std::string_view opaque = list.substr(0, end + 1);
    match.has_weak = match.has_weak || is_weak;
    match.has_tag = match.has_tag || ((comparison == Comparison::weak || !is_weak) && matches_tag(opaque, tag));
    list.remove_prefix(end + 1);
    needs_comma = true;
  }
}

// The lines of a repeated header are one list.
ListMatch match_header(const Request& request, std::string_view name, std::string_view tag, Comparison comparison) {
  if (count_headers(request, name) == 1 && find_header(request, name) == "*") return {.has_tag = true};
  ListMatch match;
  for (const HeaderView& header : request.headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    const ListMatch line = match_list(header.value, tag, comparison);
    if (line.is_malformed) return line;
    match.has_tag = match.has_tag || line.has_tag;
    match.has_weak = match.has_weak || line.has_weak;
  }
  return match;
}

}  // namespace

FailedCondition failed_condition(const Request& request, std::string_view tag) {
  if (count_headers(request, "If-Match") > 0) {
    const ListMatch match = match_header(request, "If-Match", tag, Comparison::strong);
    if (match.is_malformed) return FailedCondition::if_match_malformed;
    if (!match.has_tag) return match.has_weak ? FailedCondition::if_match_weak : FailedCondition::if_match;
  }
  const bool is_excluded = match_header(request, "If-None-Match", tag, Comparison::weak).has_tag;
  return is_excluded ? FailedCondition::if_none_match : FailedCondition::none;
}

Response precondition_problem(Language language, FailedCondition failed) {
  return problem(412, language,
                 failed == FailedCondition::if_match_malformed ? Message::malformed_tags
                 : failed == FailedCondition::if_match_weak    ? Message::weak_tag
                 : failed == FailedCondition::if_none_match    ? Message::tag_excluded
                                                               : Message::precondition_failed);
}

}  // namespace portail
