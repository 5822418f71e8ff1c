// Pseudonyms of subjects (core/crypto/hash.hpp). The last ones are cached, because a computation costs half as
// much as an answer, and most clients send several requests. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace portail {

class Pseudonyms {
 public:
  // With the same key, a subject has the same pseudonym.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  // Appends 32 hexadecimal digits.
  void append(std::string& out, std::string_view subject);

 private:
  static constexpr std::size_t slot_count = 256;
  static constexpr std::size_t max_cached_subject = 256;  // bytes of a subject

  // Holds the last one of the subjects that share it.
  struct Slot {
    std::mutex mutex;
    std::string subject;
    std::string pseudonym;  // empty: the slot is free
  };

  std::string key_;
  std::array<Slot, slot_count> slots_;
};

}  // namespace portail
