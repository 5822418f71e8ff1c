// Where the text of a key set is: in a setting, in a file, at an address. One thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <stop_token>
#include <string>

namespace portail {

class KeyDocument {
 public:
  virtual ~KeyDocument() = default;

  // For the operator: "keys.json", "https://issuer.example/keys".
  [[nodiscard]] virtual std::string name() const = 0;
  // The text as it is now. The error is one line for the operator, which names what could not be read. Ends soon once
  // `stop` is requested.
  virtual std::expected<std::string, std::string> read(std::stop_token stop) = 0;
};

}  // namespace portail
