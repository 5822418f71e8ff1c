// A JWK set. Accepted keys are in the public set, which may have more keys: a private key that may only sign is
// refused, and its public key verifies.
#include "core/auth/key_generator.hpp"
#include "core/auth/key_set.hpp"
#include "tools/fuzz/fuzz.hpp"

using namespace portail;

void fuzz(std::string_view input) {
  const auto loaded = load_key_set(input);
  if (!loaded) {
    check(!loaded.error().contains('\n'), "an error is one line");
    return;
  }
  for (const KeyDiagnostic& diagnostic : loaded->refusals)
    check(!describe(diagnostic).contains('\n'), "a diagnostic is one line");
  if (loaded->keys.empty()) return;

  const auto verifying = verification_key_set(input);
  check(verifying.has_value() || !loaded->refusals.empty(), "a set of usable keys has a public half");
  if (!verifying) return;  // it is made of whole sets only
  const auto again = load_key_set(*verifying);
  check(again && again->keys.size() >= loaded->keys.size(), "the public half has the usable keys");
}
