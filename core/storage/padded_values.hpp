// Copies of values for stores that cannot hand out their own bytes: each with the padding that the port promises. They
// live as long as this does. One thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

class PaddedValues {
 public:
  std::string_view add(std::string_view value) {
    auto copy = std::make_unique<char[]>(value.size() + readable_padding);
    value.copy(copy.get(), value.size());
    return {copies_.emplace_back(std::move(copy)).get(), value.size()};
  }

 private:
  std::vector<std::unique_ptr<char[]>> copies_;
};

}  // namespace portail
