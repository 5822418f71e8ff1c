// Tokens that came before, so that their signatures are not checked again: for hosts that live longer than a request.
// A cache only remembers; core/auth/authenticator.cpp decides whether what it finds still counts, and what is put in.
// One cache serves services of the same TokenSettings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

// A token that no time makes good: only another key set may.
struct RefusedToken {
  std::string_view why;  // a constant, as in AuthenticationFault
  SharedKeySet keys;     // that refused it
};

// What one verified token takes at most, in bytes: one with more roles than that is verified each time.
inline constexpr std::size_t largest_remembered_token = std::size_t{8} * 1024;
// In bytes, with what its parts hold on the heap, but without the key set, which all tokens share.
[[nodiscard]] std::size_t memory_of(const VerifiedToken& token);

// The port. Hosts with threads make implementations that many may call at once.
class TokenCache {
 public:
  // `key` is made from unpredictable bytes for each process, so that a client cannot aim at a slot of the cache.
  explicit TokenCache(const Hash32& key) : key_(key) {}
  virtual ~TokenCache() = default;

  // What stands for the whole token, signature included.
  [[nodiscard]] Hash32 id_of(std::string_view token) const { return keyed_blake2b(key_, token); }

  // Null where it is not known.
  [[nodiscard]] virtual std::shared_ptr<const VerifiedToken> find(const Hash32& id) = 0;
  // May forget another token for it; one that has expired at `now` first. Forgets at once what is larger than
  // largest_remembered_token.
  virtual void keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) = 0;
  virtual void drop(const Hash32& id) = 0;

  // Refused tokens have places of their own: however many come, no verified one makes way.
  [[nodiscard]] virtual std::optional<RefusedToken> find_refused(const Hash32& id) = 0;
  virtual void keep_refused(const Hash32& id, const RefusedToken& token) = 0;

 private:
  Hash32 key_;
};

// Room for so many tokens, taken as they come, since many instances of a component see few: sets of a few places, a
// token belongs to the set that its id names, and the one that was not asked for longest makes way. And for as many
// refused ones, 256 at most, of which each has one place, and the last that came has it. One thread.
class BoundedTokenCache final : public TokenCache {
 public:
  // `capacity` is at least 1.
  BoundedTokenCache(const Hash32& key, std::size_t capacity);

  [[nodiscard]] std::shared_ptr<const VerifiedToken> find(const Hash32& id) override;
  void keep(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override;
  void drop(const Hash32& id) override;
  [[nodiscard]] std::optional<RefusedToken> find_refused(const Hash32& id) override;
  void keep_refused(const Hash32& id, const RefusedToken& token) override;

 private:
  struct Place {
    Hash32 id;
    std::shared_ptr<const VerifiedToken> token;
    std::uint64_t asked = 0;  // when it was asked for last, in questions
  };
  using Set = std::vector<Place>;

  struct RefusedPlace {
    Hash32 id;
    RefusedToken token;
  };

  [[nodiscard]] std::unique_ptr<RefusedPlace>& refused_place_of(const Hash32& id);
  [[nodiscard]] Set& set_of(const Hash32& id);
  // Null where no place holds it.
  [[nodiscard]] Place* place_of(const Hash32& id);
  // For a token that has none yet.
  [[nodiscard]] Place& place_for(Set& set, Instant now);

  std::size_t ways_;
  std::vector<Set> sets_;
  std::vector<std::unique_ptr<RefusedPlace>> refused_;  // null: the place is free
  std::uint64_t questions_ = 0;
};

}  // namespace portail
