#include "core/files/known_values.hpp"

#include <algorithm>
#include <utility>

namespace portail {
namespace {

// When the last change lies far enough back, by the wall's clock.
std::int64_t settles_at(const FileStatus& status) {
  return std::max(status.modified, status.changed) / 1000 + KnownValues::margin_microseconds;
}

// The wall's clock has gone on as long as the other one since then, and was not set back in between: a change after it
// was set back could have the times of the change before.
bool was_set_back(Moment then, Moment now) {
  const std::int64_t by_wall = now.wall.microseconds - then.wall.microseconds;
  return by_wall < now.steady - then.steady - KnownValues::tolerance_microseconds;
}

}  // namespace

bool KnownValues::is_worth_a_look(std::string_view key, Instant now) {
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    Entry& entry = entries_.front();
    if (entry.settles <= now.microseconds) return true;
    drop_value(entry);  // where there is one, the clock was set back since it was read
    return false;
  }
  if (entries_.size() == most_values) forget_the_oldest();
  entries_.push_front({.key = std::string(key), .value = {}, .status = {}, .read = {}});
  by_key_.emplace(entries_.front().key, entries_.begin());
  return false;
}

KnownValues::SharedValue KnownValues::find(std::string_view key, const FileStatus& status, Moment now) {
  Entry* entry = entry_of(key);
  if (!entry || !entry->value || entry->status != status) return nullptr;
  if (was_set_back(entry->read, now)) {
    drop_value(*entry);
    return nullptr;
  }
  return entry->value;
}

KnownValues::SharedValue KnownValues::keep(std::string_view key, const FileStatus& status, Moment before,
                                           std::string value) {
  auto shared = std::make_shared<const std::string>(std::move(value));
  Entry* entry = entry_of(key);
  if (!entry) return shared;
  drop_value(*entry);
  entry->settles = settles_at(status);
  // Another size than the look's: it has changed between the two.
  if (entry->settles > before.wall.microseconds || shared->size() != status.size) return shared;
  while (bytes_ + shared->size() > most_bytes) {
    if (&entries_.back() == entry) return shared;
    forget_the_oldest();
  }
  entry->value = shared;
  entry->status = status;
  entry->read = before;
  bytes_ += shared->size();
  return shared;
}

KnownValues::Entry* KnownValues::entry_of(std::string_view key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &*found->second;
}

void KnownValues::drop_value(Entry& entry) {
  if (!entry.value) return;
  bytes_ -= entry.value->size();
  entry.value.reset();
}

void KnownValues::forget_the_oldest() {
  drop_value(entries_.back());
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

}  // namespace portail
