#include "core/auth/authenticator.hpp"

#include <optional>
#include <utility>

#include "core/auth/claims.hpp"
#include "core/auth/token.hpp"
#include "core/auth/token_cache.hpp"
#include "core/base/text.hpp"

namespace portail {
namespace {

using Kind = AuthenticationFault::Kind;

std::unexpected<AuthenticationFault> refuse(std::string_view description) {
  return std::unexpected(AuthenticationFault{Kind::bad_token, description});
}

// The token of the one Authorization header, `Bearer` SP token (RFC 6750 section 2.1).
std::expected<std::string_view, AuthenticationFault> bearer_token(const Request& request) {
  constexpr AuthenticationFault nothing_sent{Kind::no_token, "No bearer token was sent"};
  constexpr std::string_view scheme = "Bearer";
  const auto value = find_header(request, "Authorization");
  if (!value) return std::unexpected(nothing_sent);
  if (count_headers(request, "Authorization") > 1) return refuse("More than one Authorization header was sent");
  const auto space = value->find(' ');
  if (space == std::string_view::npos || !equals_ignoring_case(value->substr(0, space), scheme)) {
    return std::unexpected(nothing_sent);
  }
  return value->substr(space + 1);
}

std::shared_ptr<const Caller> caller_of(std::shared_ptr<const VerifiedToken> token) {
  const Caller* caller = &token->caller;
  return {std::move(token), caller};
}

struct TokenFault {
  std::string_view why;
  bool of_claims;  // which the time may have decided; else it was the token's form, its key or its signature
};

std::expected<std::shared_ptr<const VerifiedToken>, TokenFault> verify_anew(std::string_view token, SharedKeySet keys,
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

// What the cache knows of the token, where it was verified with these very keys.
std::shared_ptr<const VerifiedToken> remembered(TokenCache& cache, const Hash32& id, const SharedKeySet& keys) {
  auto known = cache.find(id);
  if (!known || known->keys == keys) return known;
  cache.drop(id);
  return nullptr;
}

}  // namespace

Task<Authentication> authenticate(Context& context, const Request& request, KeySource& source,
                                  const TokenSettings& settings) {
  const auto token = bearer_token(request);
  if (!token) co_return Authentication(std::unexpected(token.error()));
  SharedKeySet keys = source.current();
  if (has_no_key(keys)) {
    if (const auto fault = fault_of_form(*token)) co_return Authentication(refuse(*fault));
    co_return Authentication(std::unexpected(AuthenticationFault{Kind::no_keys, "No key set can be used"}));
  }

  TokenCache* cache = context.token_cache;
  const Hash32 id = cache ? cache->id_of(*token) : Hash32{};
  if (auto known = cache ? remembered(*cache, id, keys) : nullptr) {
    const auto good = check_times(known->times, settings, context.clock.now());
    if (good) co_return Authentication(caller_of(std::move(known)));
    cache->drop(id);
    co_return Authentication(refuse(good.error()));
  }
  const auto refused = cache ? cache->find_refused(id) : std::nullopt;
  if (refused && refused->keys == keys) co_return Authentication(refuse(refused->why));

  auto verified = verify_anew(*token, keys, settings, context.clock.now());
  if (!verified && names_unknown_key(*token, *keys)) {
    SharedKeySet newer = co_await source.refreshed(context, keys);
    if (!has_no_key(newer) && newer != keys) {
      verified = verify_anew(*token, std::move(newer), settings, context.clock.now());
    }
  } else if (!verified && !verified.error().of_claims && cache) {
    cache->keep_refused(id, {verified.error().why, keys});
  }
  if (!verified) co_return Authentication(refuse(verified.error().why));
  if (cache) cache->keep(id, *verified, context.clock.now());
  co_return Authentication(caller_of(std::move(*verified)));
}

}  // namespace portail
