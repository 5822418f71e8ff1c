// The key of a cache entry, also hashed to entity tags: a kind, then typed parts. A type precedes each part, and a
// length each text. Two keys are therefore equal only if their kinds and all their parts are, for any bytes in a text.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

enum class CacheKeyKind : std::uint8_t {
  mail_objects_page = 1,
  all_mail_objects,
  one_mail_object,
  template_file,
  bundle_list_tag,
  rate_of_client,
  rate_of_subject,
  bundle_list,
};

class CacheKey {
 public:
  explicit CacheKey(CacheKeyKind kind) : bytes_(1, static_cast<char>(kind)) {}

  CacheKey& add(std::uint64_t number) {
    bytes_ += 'n';
    append_number(number);
    return *this;
  }
  CacheKey& add(std::string_view text) {
    bytes_ += 't';
    append_number(text.size());
    bytes_ += text;
    return *this;
  }

  // Unique to this key. The first byte begins no JSON, HTML or other text.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  friend bool operator==(const CacheKey&, const CacheKey&) = default;

 private:
  // LEB128: seven bits a byte, the lowest first. Small numbers are short, so most keys need no heap memory.
  void append_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) bytes_ += static_cast<char>(number | 0x80U);
    bytes_ += static_cast<char>(number);
  }

  std::string bytes_;
};

// What a bounded cache counts, for metrics. A value.

struct CacheCounts {
  std::uint64_t hits = 0;  // since the start, as the other counts
  std::uint64_t misses = 0;
  std::uint64_t evictions = 0;  // of the least recently used entries of a full cache
  std::size_t bytes = 0;        // of the entries that are cached now

  bool operator==(const CacheCounts&) const = default;
};

}  // namespace portail
