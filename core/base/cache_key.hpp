// What every cache finds its entries by, and what a tag of several parts is the hash of: a kind, then typed parts. Each
// part is behind its type, and a text behind its length, so two keys are equal only where their kinds and all their
// parts are, whatever bytes a text holds. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

enum class KeyKind : std::uint8_t {
  mail_objects_page = 1,
  all_mail_objects,
  one_mail_object,
  template_file,
  bundle_list,
  rate_of_client,
  rate_of_subject,
};

class CacheKey {
 public:
  explicit CacheKey(KeyKind kind) : bytes_(1, static_cast<char>(kind)) {}

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

  // No other key has these, and no JSON, HTML or other text begins with the first one.
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  friend bool operator==(const CacheKey&, const CacheKey&) = default;

 private:
  // Seven bits a byte, the lowest first, all but the last with the high bit: it ends by itself, and small ones are
  // short, so the key of a usual question needs no memory from the heap.
  void append_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7U) bytes_ += static_cast<char>(number | 0x80U);
    bytes_ += static_cast<char>(number);
  }

  std::string bytes_;
};

}  // namespace portail
