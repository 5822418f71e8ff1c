#include "core/exchange/scans.hpp"

#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

struct EntryVisitor final : Visitor {
  explicit EntryVisitor(const OnEntry& function) : on_entry(function) {}
  bool visit(std::string_view key, std::string_view value) override {
    outcome = on_entry(key, value);
    return outcome.has_value();
  }
  const OnEntry& on_entry;
  Result<void> outcome;
};

}  // namespace

Task<void> scan_entries(Context& context, KeyValueStore& store, std::string_view prefix, OnEntry on_entry) {
  EntryVisitor visitor(on_entry);
  co_await store.scan(context, prefix, visitor);
  co_await visitor.outcome;
}

Task<void> KeyBatches::read(Context& context, KeyValueStore& store, std::string_view prefix) {
  keys_.clear();
  position_ = 0;
  co_await scan_entries(context, store, prefix, [this](std::string_view key, std::string_view) -> Result<void> {
    add(key);
    return {};
  });
}

void KeyBatches::add(std::string_view key) {
  keys_ += key;
  keys_ += '\n';
}

IdSet KeyBatches::set() const {
  IdSet set;
  for (Lines lines(std::string_view(keys_).substr(position_)); const auto key = lines.next();)
    set.insert(IdSet::of(*key));
  return set;
}

Task<std::vector<KeyBatches::Entry>> KeyBatches::take(Context& context, Session& session) {
  std::vector<std::string_view> keys;
  while (keys.size() < max_batch && !empty()) {
    const std::size_t end = keys_.find('\n', position_);
    keys.push_back(std::string_view(keys_).substr(position_, end - position_));
    position_ = end + 1;
  }
  std::vector<Value> values(keys.size());
  co_await session.get(context, keys, values);
  std::vector<Entry> entries;
  entries.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) entries.push_back({keys[i], values[i]});
  co_return entries;
}

}  // namespace portail
