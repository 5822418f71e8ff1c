// The two languages of the messages, and which one a request prefers. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/http/request.hpp"

namespace portail {

enum class Language : std::uint8_t { english, french };

// The language's tag (RFC 5646): Content-Language, and ABP's culture name.
constexpr std::string_view language_tag(Language language) { return language == Language::french ? "fr" : "en"; }

// By Accept-Language (RFC 9110 section 12.5.4): the language with the highest quality; of equal ones the one named
// first, and one named before one that only `*` stands for. A range counts by its primary subtag: `fr-CA` is French.
// English where the request says nothing that helps; malformed ranges say nothing.
Language preferred_language(const Request& request);

}  // namespace portail
