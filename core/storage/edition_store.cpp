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

class EditionSession final : public ForwardingSession {
 public:
  // `configuration` is the value when the session was opened. `edition` is nullopt if no value may be cached.
  EditionSession(std::unique_ptr<Session> target, ValueCache& cache, Value configuration,
                 const std::optional<StoreRevision>& edition, const std::optional<StoreRevision>& revision)
      : ForwardingSession(std::move(target)),
        configuration_(configuration),
        revision_(revision),
        cached_(cache, edition) {}

  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::vector<std::optional<Value>> cached(keys.size());
    bool are_cached = revision_.has_value();  // all values but those of volatile keys
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == configuration_key) continue;
      cached[i] = cached_.find(keys[i]);
      are_cached &= cached[i] || is_volatile_key(keys[i]);
    }
    std::vector<std::size_t> missing;  // indices of the keys to be read
    std::vector<std::string_view> missing_keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // Values that are read now may be newer than configuration_: an import writes the configuration before the mail
      // objects that it belongs to. It is read again with them, in the order of the keys.
      if (keys[i] == configuration_key && are_cached) cached[i] = configuration_;
      if (cached[i]) {
        values[i] = *cached[i];
      } else {
        missing.push_back(i);
        missing_keys.push_back(keys[i]);
      }
    }
    if (missing.empty()) co_return;
    std::vector<Value> found(missing.size());
    co_await target().get(context, missing_keys, found);
    for (std::size_t k = 0; k < missing.size(); ++k) {
      values[missing[k]] = found[k];
      if (found[k] && missing_keys[k] != configuration_key) cached_.insert(missing_keys[k], found[k]);
    }
  }

 private:
  const Value configuration_;
  const std::optional<StoreRevision> revision_;
  CachedValues cached_;
};

}  // namespace

Task<std::unique_ptr<Session>> EditionStore::open(Context& context) {
  auto session = co_await target().open(context);
  const std::string_view key = configuration_key;
  Value configuration;
  co_await session->get(context, std::span(&key, 1), std::span(&configuration, 1));
  std::optional<StoreRevision> cached_edition;
  std::optional<StoreRevision> revision;  // also changes with each change of `configuration`
  if (auto audited = read_audited_value(configuration.value_or(""))) {
    const auto edition = take_edition(*audited);
    if (edition && edition->is_complete) {
      const AuditName& last = *audited->last;
      cached_edition = StoreRevision{{static_cast<std::uint64_t>(edition->import.time), edition->import.id}};
      revision = StoreRevision{{edition->import.id, static_cast<std::uint64_t>(last.time), last.id}};
      cache_.set_revision(*cached_edition);
    }
  }
  co_return std::make_unique<EditionSession>(std::move(session), cache_, configuration, cached_edition, revision);
}

}  // namespace portail
