// A JWK set. What is accepted can be found again, and is in its public half; there may be more there: a private key
// that signs only is refused, and its public half verifies.
#include "core/auth/key_maker.hpp"
#include "core/auth/key_set.hpp"
#include "tools/fuzz/fuzz.hpp"

using namespace portail;

void look_at(std::string_view input) {
  const auto loaded = load_key_set(input);
  if (!loaded) {
    check(!loaded.error().contains('\n'), "an error is one line");
    return;
  }
  for (const KeyRemark& remark : loaded->refusals) check(!describe(remark).contains('\n'), "a remark is one line");
  if (loaded->keys.empty()) return;

  const auto verifying = verification_key_set(input);
  check(verifying.has_value(), "a set with usable keys has a public half");
  const auto again = load_key_set(*verifying);
  check(again && again->keys.size() >= loaded->keys.size(), "the public half has the usable keys");
}
