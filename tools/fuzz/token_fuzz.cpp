// A bearer token. After a first line "signed", the next two lines, header and claims, are signed, so that the code
// after the signature check is reached. Other inputs are tokens as they are.
#include <algorithm>

#include "core/auth/claims.hpp"
#include "core/auth/token.hpp"
#include "tests/support/tokens.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string token_of(std::string_view input) {
  std::string_view rest = input;
  if (take_line(rest) != "signed") return std::string(input);
  const std::string_view header = take_line(rest);
  return sign_hs256_token(header, rest);
}

}  // namespace

void fuzz(std::string_view input) {
  static const SharedKeySet keys = test_key_set().current();
  std::string token = token_of(input);
  const auto verified = verify_token(token, *keys);
  if (!verified) return;

  check(token.size() <= max_token_size, "an accepted token is not too long");
  check(std::ranges::count(token, '.') == 2, "an accepted token has three parts");
  const auto claims = object_of(verified->root());
  check(claims.has_value(), "the claims of an accepted token are an object");
  const auto caller = read_claims(*claims, test_token_settings(), FixedClock::default_time);
  if (caller) check(caller->subject.size() <= 255, "an accepted subject is not too long");

  // Any changed character makes it another token.
  char& changed = token[input.size() * 7919 % token.size()];
  changed = changed == 'A' ? 'B' : 'A';
  check(!verify_token(token, *keys), "a token with one character changed is refused");
}
