#include "core/guest/read_value.hpp"

#include <array>

namespace portail {

Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key) {
  const auto session = co_await store.open(context);
  const std::array keys{key};
  std::array<Value, 1> values;
  co_await session->get(context, keys, values);
  co_return values[0] ? std::optional<std::string>(*values[0]) : std::nullopt;
}

bool was_read_within(std::optional<Instant> read_at, std::int64_t seconds, Instant now) {
  if (!read_at) return false;
  const std::int64_t age = now.microseconds - read_at->microseconds;
  return age >= 0 && age < seconds * 1'000'000;
}

}  // namespace portail
