// Tokens that were verified before, so that their signatures are not checked again: for hosts that live longer than a
// request. A cache only remembers; core/auth/authenticator.cpp decides whether what it finds still counts, and puts in
// verified tokens only. One cache serves services of the same TokenSettings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/auth/caller.hpp"
#include "core/auth/claims.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/time.hpp"
#include "core/crypto/hash.hpp"

namespace portail {

struct VerifiedToken {
  Caller caller;
  TokenTimes times;
  SharedKeySet keys;  // that it was verified with: it counts as long as they are the current ones
};

// The port. Hosts with threads make implementations that many may call at once.
class TokenCache {
 public:
  // `key` is made from unpredictable bytes for each process, so that nobody can aim at a place in the cache.
  explicit TokenCache(const Hash32& key) : key_(key) {}
  virtual ~TokenCache() = default;

  // What stands for the whole token, signature included.
  [[nodiscard]] Hash32 id_of(std::string_view token) const { return keyed_blake2b(key_, token); }

  // Null where it is not known.
  [[nodiscard]] virtual std::shared_ptr<const VerifiedToken> find(const Hash32& id) = 0;
  // May forget another token for it; one that has expired at `now` first.
  virtual void keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) = 0;
  virtual void drop(const Hash32& id) = 0;

 private:
  Hash32 key_;
};

// Room for so many tokens, made at once: sets of a few places, a token belongs to the set that its id names, and the
// one that was not asked for longest makes way. One thread.
class BoundedTokenCache final : public TokenCache {
 public:
  // `capacity` is at least 1.
  BoundedTokenCache(const Hash32& key, std::size_t capacity);

  [[nodiscard]] std::shared_ptr<const VerifiedToken> find(const Hash32& id) override;
  void keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override;
  void drop(const Hash32& id) override;

 private:
  struct Place {
    Hash32 id;
    std::shared_ptr<const VerifiedToken> token;  // null: the place is free
    std::uint64_t asked = 0;                     // when it was asked for last, in questions
  };

  [[nodiscard]] std::span<Place> set_of(const Hash32& id);
  // Null where no place holds it.
  [[nodiscard]] Place* place_of(const Hash32& id);

  std::size_t ways_;
  std::vector<Place> places_;
  std::uint64_t questions_ = 0;
};

}  // namespace portail
