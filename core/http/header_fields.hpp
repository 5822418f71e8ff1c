// Values of header fields: the grammar that they share, lists and preferences, media types and languages. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "core/http/request.hpp"

namespace portail {

// Rules of HTTP's grammar (RFC 9110 section 5.6) that several header fields share. Any thread.

// tchar, RFC 9110 section 5.6.2: a lookup table, since every byte of a header's name is checked.
inline constexpr auto token_characters = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = 0; c < 128; ++c) {
    const auto character = static_cast<char>(c);
    table[c] = is_ascii_letter(character) || is_ascii_digit(character) ||
               std::string_view("!#$%&'*+-.^_`|~").contains(character);
  }
  return table;
}();

constexpr bool is_token_character(char c) { return token_characters[static_cast<unsigned char>(c)]; }
constexpr bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

// Removes the next item from a list (`,`) or from parameters (`;`), with the separator after it, and returns the item
// without white space around it. A separator within a quoted string is text. An unterminated string extends to the end.
constexpr std::string_view take_item(std::string_view& rest, char separator) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_quoted || rest[end] != separator); ++end) {
    if (rest[end] == '"') is_quoted = !is_quoted;
    if (is_quoted && rest[end] == '\\') ++end;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(item);
}

// Returns whether the text is uri-host [ ":" port ] (RFC 9110 section 7.2); an empty host is one.
bool is_host_and_port(std::string_view text);

// Returns the value of a parameter (RFC 9110 section 5.6.6): a token, or a quoted string without its quotes and
// escapes. nullopt for any other text.
std::optional<std::string> parameter_value(std::string_view text);

// Header fields that are lists (RFC 9110 section 5.6.1); the lines of a repeated field are one list. Any thread.

// Calls visit(std::string_view) for each member of the lists of that name, in order; empty ones too.
template <class Visit>
void for_each_member(std::span<const HeaderView> headers, std::string_view name, Visit visit) {
  for (const HeaderView& header : headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    for (std::string_view list = header.value; !list.empty();) visit(take_item(list, ','));
  }
}

// Returns the weight of a preference in thousandths (RFC 9110 section 12.4.2). `parameters` is the text after its
// range, with the semicolon. If it is empty, the weight is 1000; if it is not exactly one weight, nullopt.
std::optional<int> weight(std::string_view parameters);

// Calls visit(std::string_view range, std::optional<int> weight) for each preference of a header such as
// Accept-Language.
template <class Visit>
void for_each_preference(const Request& request, std::string_view name, Visit visit) {
  for_each_member(request.headers, name, [&visit](std::string_view member) {
    const std::string_view range = member.substr(0, member.find(';'));
    visit(trimmed(range), weight(member.substr(range.size())));
  });
}

// Content-Type, and Content-Encoding of a request (RFC 9110 sections 8.3 and 8.4). Any thread.

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";  // of answers

// Returns whether Content-Type is JSON in UTF-8: application/json, text/json or application/*+json, with no other
// charset than utf-8 or utf8. Otherwise, also if it is absent, repeated or malformed, the answer is 415
// (docs/reference/contract.md, "Requests: PUT body").
bool has_json_content_type(const Request& request);

// Returns whether Content-Encoding names another coding than identity, such as gzip. The answer is 415 too (RFC 9110
// section 8.4), against decompression bombs.
bool is_content_coded(const Request& request);

// The two languages of the messages, and the choice between them for a request. Any thread.

enum class Language : std::uint8_t { english, french };

// Returns the language's tag (RFC 5646), for Content-Language and ABP's culture name.
constexpr std::string_view language_tag(Language language) { return language == Language::french ? "fr" : "en"; }

// Returns the language of the highest weight in Accept-Language (RFC 9110 section 12.5.4). Of equal weights, the first
// one counts, and a named language before `*`. A range counts by its primary subtag: `fr-CA` is French. Malformed
// ranges are ignored. Default: English.
Language preferred_language(const Request& request);

}  // namespace portail
