#include "core/storage/edition_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// The largest part of the cache that one session fills, so that a large list does not evict what others use.
constexpr std::size_t max_inserted_bytes = ValueCache::max_bytes / 2;

class EditionSession final : public ForwardingSession {
 public:
  EditionSession(std::unique_ptr<Session> target, ValueCache& cache)
      : ForwardingSession(std::move(target)), cache_(cache) {}

  Task<void> read_edition(Context& context) {
    const std::string_view key = configuration_key;
    co_await target().get(context, std::span(&key, 1), std::span(&configuration_, 1));
    auto audited = read_audited_value(configuration_.value_or(""));
    if (!audited) co_return;
    const auto edition = take_edition(*audited);
    if (!edition || !edition->is_complete) co_return;
    edition_ = StoreRevision{{static_cast<std::uint64_t>(edition->import.time), edition->import.id}};
    revision_ = StoreRevision{{edition->import.id, static_cast<std::uint64_t>(audited->last->time), audited->last->id}};
    cache_.set_revision(*edition_);
  }

  // The edition, and the last change of `configuration`.
  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    // Values that are read now may be newer than the configuration that was read before: an import writes it before the
    // mail objects that it belongs to. It is read again with them, in the order of the keys.
    bool are_cached = edition_.has_value();
    std::vector<std::size_t> missing;  // indices of the keys to be read
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == configuration_key) continue;
      if (auto cached = find(keys[i])) {
        values[i] = *cached_.emplace_back(std::move(cached));
      } else {
        missing.push_back(i);
        are_cached &= is_volatile_key(keys[i]);
      }
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] != configuration_key) continue;
      if (are_cached) {
        values[i] = configuration_;
      } else {
        missing.insert(std::ranges::lower_bound(missing, i), i);
      }
    }
    if (missing.empty()) co_return;
    std::vector<std::string_view> missing_keys;
    for (const std::size_t i : missing) missing_keys.push_back(keys[i]);
    std::vector<Value> found(missing.size());
    co_await target().get(context, missing_keys, found);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      values[missing[k]] = found[k];
      if (found[k] && missing_keys[k] != configuration_key) insert(missing_keys[k], *found[k]);
    }
  }

 private:
  // Returns null if the value must be read.
  ValueCache::SharedValue find(std::string_view key) {
    if (!edition_) return nullptr;
    return cache_.find(key, *edition_).value_or(nullptr);
  }

  // The value was read after the edition.
  void insert(std::string_view key, std::string_view value) {
    if (!edition_ || is_volatile_key(key) || inserted_bytes_ > max_inserted_bytes) return;
    inserted_bytes_ += value.size();
    cache_.insert(key, *edition_, std::make_shared<const std::string>(value));
  }

  ValueCache& cache_;
  Value configuration_;                   // when the session was opened
  std::optional<StoreRevision> edition_;  // nullopt: the cache may not be used
  std::optional<StoreRevision> revision_;
  std::vector<ValueCache::SharedValue> cached_;  // in use by this session
  std::size_t inserted_bytes_ = 0;
};

}  // namespace

Task<std::unique_ptr<Session>> EditionStore::open(Context& context) {
  auto session = std::make_unique<EditionSession>(co_await target().open(context), cache_);
  co_await session->read_edition(context);
  co_return session;
}

}  // namespace portail
