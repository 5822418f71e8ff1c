#include "core/storage/simple_store.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Keeps the copies of the values that it has read.
class SimpleSession final : public Session {
 public:
  explicit SimpleSession(SimpleStore& store) : store_(store) {}

  Task<void> get(Context&, std::span<const std::string_view> keys, std::span<Value> values) override {
    auto found = co_await store_.read(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = std::nullopt;
      if (!found[i]) continue;
      values[i] = copies_.emplace_back(std::move(*found[i]));
      copied_bytes_ += values[i]->size();
    }
  }
  [[nodiscard]] std::size_t copied_bytes() const override { return copied_bytes_; }

 private:
  SimpleStore& store_;
  std::deque<std::string> copies_;  // a deque, so that the views stay valid
  std::size_t copied_bytes_ = 0;
};

Task<std::unique_ptr<Session>> SimpleStore::open_session(Context&) { co_return std::make_unique<SimpleSession>(*this); }

Task<void> SimpleStore::write_each(Context&, std::span<const Change> changes) {
  co_await check_limits(changes);
  co_await apply(changes);
}

Task<bool> SimpleStore::compare_and_put(Context&, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  co_return co_await swap(change, expected);
}

Task<void> SimpleStore::visit_each(Context&, std::string_view prefix, Visitor& visitor) {
  const auto found = co_await entries(prefix);
  for (const auto& [key, value] : found) {
    if (!visitor.visit(key, value)) co_return;
  }
}

Result<std::vector<std::optional<std::string>>> SimpleStore::read(std::span<const std::string_view> names) {
  const Lock lock(mutex_);
  std::vector<std::optional<std::string>> values(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!key_within_limits(names[i])) continue;
    auto value = get(names[i]);
    if (!value) return std::unexpected(value.error());
    values[i] = std::move(*value);
  }
  return values;
}

Result<void> SimpleStore::apply(std::span<const Change> changes) {
  const Lock lock(mutex_);
  for (const auto& [key, value] : changes) {
    if (const auto done = value ? put(key, *value) : remove(key); !done) return done;
  }
  return {};
}

Result<bool> SimpleStore::swap(const Change& change, Value expected) {
  const Lock lock(mutex_);
  const auto current = get(change.key);
  if (!current) return std::unexpected(current.error());
  if (Value(*current) != expected) return false;
  return put(change.key, *change.value).transform([] { return true; });
}

Result<SimpleStore::Entries> SimpleStore::entries(std::string_view prefix) {
  const Lock lock(mutex_);
  auto names = keys(prefix);
  if (!names) return std::unexpected(names.error());
  std::ranges::sort(*names);
  Entries found;
  for (std::string& name : *names) {
    auto value = get(name);
    if (!value) return std::unexpected(value.error());
    if (*value) found.emplace_back(std::move(name), std::move(**value));
  }
  return found;
}

}  // namespace portail
