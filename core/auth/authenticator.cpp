#include "core/auth/authenticator.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/auth/claims.hpp"
#include "core/auth/token.hpp"
#include "core/auth/token_cache.hpp"
#include "core/base/text.hpp"
#include "core/http/problem.hpp"

namespace portail {
namespace {

using Kind = AuthenticationFault::Kind;

std::unexpected<AuthenticationFault> refuse(Reason reason) {
  return std::unexpected(AuthenticationFault{Kind::bad_token, reason});
}

// Returns the token of the Authorization header, `Bearer` 1*SP token (RFC 6750 section 2.1).
std::expected<std::string_view, AuthenticationFault> bearer_token(const Request& request) {
  constexpr AuthenticationFault no_token{Kind::no_token, Reason::no_token};
  constexpr std::string_view scheme = "Bearer";
  const auto value = find_header(request, "Authorization");
  if (!value) return std::unexpected(no_token);
  if (count_headers(request, "Authorization") > 1) return refuse(Reason::repeated_authorization);
  const auto space = value->find(' ');
  if (space == std::string_view::npos || !equals_ignoring_case(value->substr(0, space), scheme)) {
    return std::unexpected(no_token);
  }
  return value->substr(std::min(value->find_first_not_of(' ', space), value->size()));
}

std::shared_ptr<const Caller> caller_of(std::shared_ptr<const VerifiedToken> token) {
  const Caller* caller = &token->caller;
  return {std::move(token), caller};
}

struct TokenFault {
  Reason reason;
  bool is_in_claims;  // and may depend on the time; otherwise in the token's form, key or signature
};

std::expected<std::shared_ptr<const VerifiedToken>, TokenFault> verify_uncached(std::string_view token,
                                                                                SharedKeySet keys,
                                                                                const TokenSettings& settings,
                                                                                Instant now) {
  const auto document = verify_token(token, *keys);
  if (!document) return std::unexpected(TokenFault{document.error(), false});
  const auto claims = *object_of(document->root());
  auto caller = read_claims(claims, settings, now);
  if (!caller) return std::unexpected(TokenFault{caller.error(), true});
  const auto times = read_times(claims);
  if (!times) return std::unexpected(TokenFault{times.error(), true});
  return std::make_shared<const VerifiedToken>(std::move(*caller), *times, std::move(keys));
}

// Returns the cached token if these keys verified it; otherwise null, and its entry is erased.
std::shared_ptr<const VerifiedToken> find_cached(TokenCache& cache, const Hash32& id, const SharedKeySet& keys) {
  auto cached = cache.find(id);
  if (!cached || cached->keys == keys) return cached;
  cache.erase(id);
  return nullptr;
}

}  // namespace

Task<Authentication> authenticate(Context& context, const Request& request, KeySource& source,
                                  const TokenSettings& settings) {
  const auto token = bearer_token(request);
  if (!token) co_return Authentication(std::unexpected(token.error()));
  SharedKeySet keys = source.current();
  if (has_no_key(keys)) {
    if (const auto fault = form_fault(*token)) co_return Authentication(refuse(*fault));
    co_return Authentication(std::unexpected(AuthenticationFault{Kind::no_keys, Reason::no_keys}));
  }

  TokenCache* cache = context.token_cache;
  const Hash32 id = cache ? cache->id_of(*token) : Hash32{};
  if (auto cached = cache ? find_cached(*cache, id, keys) : nullptr) {
    const auto checked = check_times(cached->times, settings, context.clock.now());
    if (checked) co_return Authentication(caller_of(std::move(cached)));
    cache->erase(id);
    co_return Authentication(refuse(checked.error()));
  }
  const auto refused = cache ? cache->find_refused(id) : std::nullopt;
  if (refused && refused->keys == keys) co_return Authentication(refuse(refused->reason));

  auto verified = verify_uncached(*token, keys, settings, context.clock.now());
  if (!verified && names_unknown_key(*token, *keys)) {
    SharedKeySet newer = co_await source.refreshed(context, keys);
    if (!has_no_key(newer) && newer != keys) {
      verified = verify_uncached(*token, std::move(newer), settings, context.clock.now());
    }
  } else if (!verified && !verified.error().is_in_claims && cache) {
    cache->insert_refused(id, {verified.error().reason, keys});
  }
  if (!verified) co_return Authentication(refuse(verified.error().reason));
  if (cache) cache->insert(id, *verified, context.clock.now());
  co_return Authentication(caller_of(std::move(*verified)));
}

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
