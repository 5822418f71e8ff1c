// exp and nbf: numbers that two readers could understand differently (RFC 7519 sections 2, 4.1.4 and 4.1.5). The time
// is 1768478400, the leeway 60 seconds.
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

// Adds a token whose claim has that JSON text.
auto trying(std::vector<Attack>& attacks, std::string_view claim) {
  return [&attacks, claim](std::string_view name, std::string_view json, std::string_view answer) {
    attacks.push_back(with_token(name, eddsa_token(good_header, claims_with(claim, json)), answer));
  };
}

std::vector<Attack> numbers_of(std::string_view claim, std::string_view not_a_number) {
  std::vector<Attack> attacks;
  const auto try_number = trying(attacks, claim);
  try_number("text", R"("1768482000")", not_a_number);
  try_number("a date", R"("2026-01-15T13:00:00Z")", not_a_number);
  try_number("null", "null", not_a_number);
  try_number("true", "true", not_a_number);
  try_number("an array", "[1768482000]", not_a_number);
  try_number("an object", R"({"$numberLong":"1768482000"})", not_a_number);
  try_number("negative", "-1", not_a_number);
  try_number("a negative fraction", "-0.5", not_a_number);
  try_number("negative and small", "-1e-300", not_a_number);
  try_number("2^53 + 1", "9007199254740993", not_a_number);
  try_number("2^63", "9223372036854775808", not_a_number);
  try_number("2^64", "18446744073709551616", not_a_number);
  try_number("2^64 and an hour from now", "18446744075478033616", not_a_number);
  try_number("a hundred digits", std::string(100, '9'), not_a_number);
  try_number("309 digits, which no double holds", std::string(309, '9'), not_a_number);
  try_number("309 digits, negative", '-' + std::string(309, '9'), not_a_number);
  try_number("1e16", "1e16", not_a_number);
  try_number("1e308", "1e308", not_a_number);
  try_number("milliseconds of the year 300000", "9400000000000000", not_a_number);
  try_number("1e400, which no double holds", "1e400", refusal::claims_json);
  try_number("-1e400", "-1e400", refusal::claims_json);
  try_number("NaN", "NaN", refusal::claims_json);
  try_number("Infinity", "Infinity", refusal::claims_json);
  try_number("hexadecimal", "0x7FFFFFFF", refusal::claims_json);
  try_number("octal", "01768482000", refusal::claims_json);
  try_number("a plus", "+1768482000", refusal::claims_json);
  try_number("no digit before the point", ".5e10", refusal::claims_json);
  try_number("no digit after the point", "1768482000.", refusal::claims_json);
  try_number("no digit in the exponent", "1768482000e", refusal::claims_json);
  try_number("thousands", "1_768_482_000", refusal::claims_json);
  try_number("a suffix", "1768482000n", refusal::claims_json);
  return attacks;
}

}  // namespace

std::vector<Attack> expiry_attacks() {
  std::vector<Attack> attacks = numbers_of("exp", refusal::expiry_not_number);
  const auto try_expiry = trying(attacks, "exp");
  try_expiry("none", "", refusal::no_expiry);
  try_expiry("zero", "0", refusal::expired);
  try_expiry("minus zero", "-0", refusal::expired);
  try_expiry("minus zero, a fraction", "-0.0", refusal::expired);
  try_expiry("one and a half", "1.5", refusal::expired);
  try_expiry("too small for a double", "1e-400", refusal::expired);
  try_expiry("as long ago as the leeway", "1768478340", refusal::expired);
  try_expiry("within a microsecond of it", "1768478340.000000", refusal::expired);
  attacks.push_back(with_token("under another name",
                               eddsa_token(good_header, claims_with("exp", "").insert(1, R"("Exp":9e9,)")),
                               refusal::no_expiry));
  try_expiry("a second less ago than the leeway", "1768478341", accepted);
  try_expiry("half a second less ago", "1768478340.5", accepted);
  try_expiry("an exponent", "17684820e2", accepted);
  try_expiry("a fraction", "1768482000.25", accepted);
  try_expiry("2^53 with an exponent", "9.007199254740992e15", accepted);
  try_expiry("2^53", "9007199254740992", accepted);
  return attacks;
}

std::vector<Attack> start_attacks() {
  std::vector<Attack> attacks = numbers_of("nbf", refusal::start_not_number);
  const auto try_start = trying(attacks, "nbf");
  try_start("a second more than the leeway from now", "1768478461", refusal::not_yet_valid);
  try_start("half a second more", "1768478460.5", refusal::not_yet_valid);
  try_start("in a far century", "9007199254740992", refusal::not_yet_valid);
  try_start("an exponent", "9e15", refusal::not_yet_valid);
  try_start("as far as the leeway from now", "1768478460", accepted);
  try_start("zero", "0", accepted);
  try_start("minus zero", "-0", accepted);
  try_start("none", "", accepted);
  return attacks;
}

}  // namespace portail
