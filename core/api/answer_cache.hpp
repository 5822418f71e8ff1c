// A cache of answers, for hosts that outlive a request. An answer depends on the request and on the stored values that
// it was built from. It is valid only if these have not changed: a change affects the next request. There is no expiry
// and no invalidation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cache_key.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Copies of stored values.
class StoredValues {
 public:
  explicit StoredValues(std::span<const Value> values);

  [[nodiscard]] bool equal(std::span<const Value> values) const;
  [[nodiscard]] std::size_t bytes() const;
  friend bool operator==(const StoredValues&, const StoredValues&) = default;

 private:
  std::vector<std::optional<std::string>> values_;
};

struct CachedAnswer {
  CacheKey key;  // the endpoint, and every parameter that its answer depends on
  // Of the store when the request's session was opened; nullopt: it had none. The answer is valid only for sessions
  // with the same one,
  std::optional<StoreRevision> revision;
  // and only if these values that it was built from are equal, byte by byte: those of volatile keys, or all values if
  // there is no revision.
  std::shared_ptr<const StoredValues> sources;
  std::string body;
  std::string tag;  // of the body
};

// The interface of the cache. Hosts with threads provide implementations that are safe for concurrent calls.
class AnswerCache {
 public:
  virtual ~AnswerCache() = default;
  // Returns the last answer stored for `key`, whatever its source values; null on a miss.
  [[nodiscard]] virtual std::shared_ptr<const CachedAnswer> find(const CacheKey& key) = 0;
  // Stores the answer, and replaces the one with the same key. May evict others.
  virtual void put(CachedAnswer answer) = 0;
  // Called after each find(). `is_hit`: the answer is valid for the request, and is sent. Default: not counted.
  virtual void count_use([[maybe_unused]] bool is_hit) {}
};

// A least-recently-used cache of at most 256 answers and 2 MiB, source values included. An answer over a quarter of
// that is not stored, so that it does not evict all others. One thread.
class BoundedAnswerCache final : public AnswerCache {
 public:
  static constexpr std::size_t max_answers = 256;
  static constexpr std::size_t max_bytes = std::size_t{2} * 1024 * 1024;

  [[nodiscard]] std::shared_ptr<const CachedAnswer> find(const CacheKey& key) override;
  void put(CachedAnswer answer) override;

  // Size of the cached answers. Source values that several answers share count for each.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // The answers that were removed because the cache was full.
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

 private:
  struct Entry {
    std::size_t hash = 0;  // of the key
    std::shared_ptr<const CachedAnswer> answer;
    std::size_t bytes = 0;
    std::uint64_t last_used = 0;  // the value of uses_ at the last use
  };

  [[nodiscard]] std::vector<Entry>::iterator find_entry(const CacheKey& key);
  void remove(std::vector<Entry>::iterator entry);

  std::vector<Entry> entries_;
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace portail
