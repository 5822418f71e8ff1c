// The rules for single values of an import document (docs/how-to/import.md, "The document"). Each returns the value to
// store, or the message of a fault, which follows a location and a colon. Pure functions; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace portail {

template <class T>
using Checked = std::expected<T, std::string_view>;

// A date and time of RFC 3339 with an offset.
struct DateTime {
  std::string text;     // as given, with +00:00 for Z
  std::string instant;  // seconds since 1970 in UTC, with the fraction's digits as given: 1705311000.25
};
Checked<DateTime> check_date_time(std::string_view text);

// Checks the text of a JSON number: a decimal without an exponent that System.Decimal holds exactly.
Checked<void> check_amount(std::string_view number);

// Checks a UUID (RFC 9562 section 4) and returns it in lower case.
Checked<std::string> check_uuid(std::string_view text);

inline constexpr std::size_t max_identifier_size = 255;  // bytes

// Checks a third party's number, a person's `sub`, the name of a role or a client: 1 to 255 bytes.
Checked<void> check_identifier(std::string_view text);
// Checks a bundle's id, which is also a path segment.
Checked<void> check_bundle_id(std::string_view id);

// Checks text for display.
Checked<void> check_text(std::string_view text);

Checked<void> check_file_name(std::string_view file_name);    // nomFichier
Checked<void> check_template_path(std::string_view path);     // chemin
Checked<void> check_media_type(std::string_view media_type);  // type

}  // namespace portail
