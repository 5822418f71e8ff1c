#include "core/exchange/steps/commit.hpp"

#include <utility>

namespace portail {

void Commit::put(std::string key, std::string value) {
  if (dry_run_) return;
  bytes_ += key.size() + value.size();
  changes_.push_back({std::move(key), std::move(value)});
}

void Commit::remove(std::string key) {
  if (dry_run_) return;
  bytes_ += key.size();
  changes_.push_back({std::move(key), std::nullopt});
}

Task<void> Commit::write(Context& context) {
  if (changes_.empty()) co_return;
  std::vector<Change> changes;
  changes.reserve(changes_.size());
  for (const OwnedChange& change : changes_) changes.push_back({change.key, change.value});
  co_await store_.write(context, changes);
  changes_.clear();
  bytes_ = 0;
}

Task<void> Commit::write_if_full(Context& context) {
  if (is_full()) co_await write(context);
}

}  // namespace portail
