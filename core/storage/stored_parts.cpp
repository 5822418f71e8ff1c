#include "core/storage/stored_parts.hpp"

#include <algorithm>
#include <utility>

#include "core/storage/read_value.hpp"

namespace portail {

Task<std::vector<std::string>> stored_parts(Context& context, KeyValueStore& store, std::uint32_t first,
                                            PartKey key_of) {
  std::vector<std::string> keys;
  for (std::uint32_t part = first;; ++part) {
    std::string key = key_of(part);
    if (!co_await read_value(context, store, key)) break;
    keys.push_back(std::move(key));
  }
  std::ranges::reverse(keys);
  co_return keys;
}

}  // namespace portail
