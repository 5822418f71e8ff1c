// What stands for a subject in the log: its HMAC-SHA-256. Those of the last few subjects are remembered, since one
// costs as much as half of an answer, and a client that sends one request usually sends more. Any thread.
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
  // The same subject has the same pseudonym as long as the key is the same.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  // Appends 32 hexadecimal digits.
  void append(std::string& out, std::string_view subject);

 private:
  static constexpr std::size_t places = 256;
  static constexpr std::size_t longest_remembered = 256;  // bytes of a subject

  // Of the subjects that share it, it has the last one.
  struct Place {
    std::mutex mutex;
    std::string subject;
    std::string pseudonym;  // empty: the place is free
  };

  [[nodiscard]] std::string make(std::string_view subject) const;

  std::string key_;
  std::array<Place, places> places_;
};

}  // namespace portail
