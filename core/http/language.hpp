// The two languages of the messages, and the choice between them for a request. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/http/request.hpp"

namespace portail {

enum class Language : std::uint8_t { english, french };

// Returns the language's tag (RFC 5646), for Content-Language and ABP's culture name.
constexpr std::string_view language_tag(Language language) { return language == Language::french ? "fr" : "en"; }

// Returns the language of the highest weight in Accept-Language (RFC 9110 section 12.5.4). Of equal weights, the first
// one counts, and a named language before `*`. A range counts by its primary subtag: `fr-CA` is French. Malformed
// ranges are ignored. Default: English.
Language preferred_language(const Request& request);

}  // namespace portail
