// The source of a key set's text: a setting, a file or a URL. One thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <stop_token>
#include <string>

namespace portail::keys {

class Document {
 public:
  virtual ~Document() = default;

  // The name in messages: "keys.json", "https://issuer.example/keys".
  [[nodiscard]] virtual std::string name() const = 0;
  // Returns the current text. The error is one line for the operator, with the name. Returns soon after `stop`.
  virtual std::expected<std::string, std::string> read(std::stop_token stop) = 0;
};

}  // namespace portail::keys
