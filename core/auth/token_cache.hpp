// The cache of verified and refused tokens, which avoids repeated verification of signatures: for hosts that live
// longer than a request. core/auth/authenticator.cpp inserts the entries and decides whether a hit is still valid. The
// services of one cache must have the same TokenSettings.
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
#include "core/http/reason.hpp"

namespace portail {

struct VerifiedToken {
  Caller caller;
  TokenTimes times;
  SharedKeySet keys;  // that verified it: the entry is valid while they are the current keys
};

// A token whose refusal does not depend on the time; another key set may accept it.
struct RefusedToken {
  Reason reason;
  SharedKeySet keys;  // that refused it
};

// The maximum memory of a cached token, in bytes. A larger one, with many roles, is verified each time.
inline constexpr std::size_t max_cached_token_size = std::size_t{8} * 1024;
// Returns the memory of a token in bytes, with its heap memory, but without the key set, which all tokens share.
[[nodiscard]] std::size_t memory_size(const VerifiedToken& token);

// The interface. Implementations of hosts with threads are thread-safe.
class TokenCache {
 public:
  // `key` must be random bytes, new in each process, so that a client cannot choose the slot of a token.
  explicit TokenCache(const Hash32& key) : key_(key) {}
  virtual ~TokenCache() = default;

  // Returns the cache key of a token: a hash of the whole token, signature included.
  [[nodiscard]] Hash32 id_of(std::string_view token) const { return keyed_blake2b(key_, token); }

  // Returns null on a miss.
  [[nodiscard]] virtual std::shared_ptr<const VerifiedToken> find(const Hash32& id) = 0;
  // Inserts or replaces. May evict another token, one that has expired at `now` first. A token over
  // max_cached_token_size is not cached, and its old entry is erased.
  virtual void insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) = 0;
  virtual void erase(const Hash32& id) = 0;

  // Refused tokens have separate slots: they never evict a verified token.
  [[nodiscard]] virtual std::optional<RefusedToken> find_refused(const Hash32& id) = 0;
  virtual void insert_refused(const Hash32& id, const RefusedToken& token) = 0;

 private:
  Hash32 key_;
};

// A set-associative cache of `capacity` tokens. The id of a token determines its set of up to 8 slots; the least
// recently used token of a set is evicted. Slots are allocated on demand, since many instances of a component have few
// tokens. Refused tokens have at most 256 slots, direct-mapped. One thread.
class BoundedTokenCache final : public TokenCache {
 public:
  // `capacity` must be at least 1.
  BoundedTokenCache(const Hash32& key, std::size_t capacity);

  [[nodiscard]] std::shared_ptr<const VerifiedToken> find(const Hash32& id) override;
  void insert(const Hash32& id, std::shared_ptr<const VerifiedToken> token, Instant now) override;
  void erase(const Hash32& id) override;
  [[nodiscard]] std::optional<RefusedToken> find_refused(const Hash32& id) override;
  void insert_refused(const Hash32& id, const RefusedToken& token) override;

 private:
  struct Slot {
    Hash32 id;
    std::shared_ptr<const VerifiedToken> token;
    std::uint64_t last_used = 0;  // use_count_ of its last use
  };
  using Set = std::vector<Slot>;

  struct RefusedSlot {
    Hash32 id;
    RefusedToken token;
  };

  [[nodiscard]] std::unique_ptr<RefusedSlot>& refused_slot(const Hash32& id);
  [[nodiscard]] Set& set_of(const Hash32& id);
  // Returns null if no slot has this id.
  [[nodiscard]] Slot* find_slot(const Hash32& id);
  // Returns a free slot, or that of the token to evict.
  [[nodiscard]] Slot& acquire_slot(Set& set, Instant now);

  std::size_t ways_;
  std::vector<Set> sets_;
  std::vector<std::unique_ptr<RefusedSlot>> refused_;  // null: a free slot
  std::uint64_t use_count_ = 0;
};

}  // namespace portail
