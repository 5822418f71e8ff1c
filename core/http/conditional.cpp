#include "core/http/conditional.hpp"

#include <array>
#include <cstddef>

#include "core/base/text.hpp"

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

enum class ListMatch : unsigned char { malformed, no, yes };

// Searches one header line, a list of entity tags, for `tag`. Empty elements are allowed (RFC 9110 section 5.6.1.2).
ListMatch match_list(std::string_view list, std::string_view tag, Comparison comparison) {
  ListMatch match = ListMatch::no;
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
    if (needs_comma || !list.starts_with('"')) return ListMatch::malformed;
    std::size_t end = 1;
    while (end < list.size() && is_tag_character(list[end])) ++end;
    if (end == list.size() || list[end] != '"') return ListMatch::malformed;
    const std::string_view opaque = list.substr(0, end + 1);
    if ((comparison == Comparison::weak || !is_weak) && matches_tag(opaque, tag)) match = ListMatch::yes;
    list.remove_prefix(end + 1);
    needs_comma = true;
  }
}

// The lines of a repeated header are one list.
bool names_tag(const Request& request, std::string_view header_name, std::string_view tag, Comparison comparison) {
  if (count_headers(request, header_name) == 1 && find_header(request, header_name) == "*") return true;
  bool found = false;
  for (const HeaderView& header : request.headers) {
    if (!equals_ignoring_case(header.name, header_name)) continue;
    const ListMatch line = match_list(header.value, tag, comparison);
    if (line == ListMatch::malformed) return false;
    found = found || line == ListMatch::yes;
  }
  return found;
}

}  // namespace

bool if_none_match_names(const Request& request, std::string_view tag) {
  return names_tag(request, "If-None-Match", tag, Comparison::weak);
}

bool if_match_allows(const Request& request, std::string_view tag) {
  return count_headers(request, "If-Match") == 0 || names_tag(request, "If-Match", tag, Comparison::strong);
}

}  // namespace portail
