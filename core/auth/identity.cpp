#include "core/auth/identity.hpp"

#include <utility>

#include "core/auth/authenticator.hpp"
#include "core/http/problem.hpp"

namespace portail {
namespace {

Response refusal_of(AuthenticationFault fault, Language language) {
  switch (fault.kind) {
    case AuthenticationFault::Kind::no_token:
      break;
    case AuthenticationFault::Kind::bad_token:
      return unauthorized_problem(language, text_of(fault.reason));
    case AuthenticationFault::Kind::no_keys:
      return unavailable_problem(language);
  }
  return unauthorized_problem(language, {});
}

}  // namespace

Task<Identity> identify(Context& context, const Request& request, KeySource& keys, const TokenSettings& settings,
                        Language language) {
  auto authenticated = co_await outcome(authenticate(context, request, keys, settings));
  if (!authenticated) {
    const Reason reason = authenticated.error() == Failure::cancelled ? Reason::timed_out : Reason::no_keys;
    co_return Identity{.caller = {}, .refusal = unavailable_problem(language), .reason = reason};
  }
  if (*authenticated) co_return Identity{.caller = std::move(**authenticated), .refusal = {}};
  const AuthenticationFault fault = authenticated->error();
  co_return Identity{.caller = {}, .refusal = refusal_of(fault, language), .reason = fault.reason};
}

}  // namespace portail
