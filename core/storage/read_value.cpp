#include "core/storage/read_value.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace portail {

Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key) {
  const auto session = co_await store.open(context);
  Value value;
  co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
  co_return value ? std::optional<std::string>(*value) : std::nullopt;
}

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
