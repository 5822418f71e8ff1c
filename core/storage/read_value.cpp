#include "core/storage/read_value.hpp"

#include <memory>
#include <span>

namespace portail {

Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key) {
  const auto session = co_await store.open(context);
  Value value;
  co_await session->get(context, std::span(&key, 1), std::span(&value, 1));
  co_return value ? std::optional<std::string>(*value) : std::nullopt;
}

}  // namespace portail
