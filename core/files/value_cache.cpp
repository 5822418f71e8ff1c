#include "core/files/value_cache.hpp"

#include <algorithm>
#include <utility>

namespace portail {
namespace {

// The time on the wall clock from which the last change is old enough.
std::int64_t settles_at(const FileMetadata& status) {
  return std::max(status.modified, status.changed) / 1000 + ValueCache::min_age_microseconds;
}

// Returns whether the wall clock was set back between the two readings: a later change could then repeat earlier times.
bool was_set_back(ClockReading then, ClockReading now) {
  const std::int64_t by_wall = now.wall.microseconds - then.wall.microseconds;
  return by_wall < now.steady - then.steady - ValueCache::clock_tolerance_microseconds;
}

}  // namespace

bool ValueCache::should_stat(std::string_view key, Instant now) {
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    Entry& entry = entries_.front();
    if (entry.settles <= now.microseconds) return true;
    evict_value(entry);  // if it has a value, the clock was set back after the read
    return false;
  }
  if (entries_.size() == max_values) evict_oldest();
  entries_.push_front({.key = std::string(key), .value = {}, .status = {}, .read = {}});
  by_key_.emplace(entries_.front().key, entries_.begin());
  return false;
}

ValueCache::SharedValue ValueCache::find(std::string_view key, const FileMetadata& status, ClockReading now) {
  Entry* entry = entry_of(key);
  if (!entry || !entry->value || entry->status != status) return nullptr;
  if (was_set_back(entry->read, now)) {
    evict_value(*entry);
    return nullptr;
  }
  return entry->value;
}

ValueCache::SharedValue ValueCache::insert(std::string_view key, const FileMetadata& status, ClockReading before,
                                           std::string value) {
  auto shared = std::make_shared<const std::string>(std::move(value));
  Entry* entry = entry_of(key);
  if (!entry) return shared;
  evict_value(*entry);
  entry->settles = settles_at(status);
  // A size that differs from the status: the file changed between the stat and the read.
  if (entry->settles > before.wall.microseconds || shared->size() != status.size) return shared;
  while (bytes_ + shared->size() > max_bytes) {
    if (&entries_.back() == entry) return shared;
    evict_oldest();
  }
  entry->value = shared;
  entry->status = status;
  entry->read = before;
  bytes_ += shared->size();
  return shared;
}

ValueCache::Entry* ValueCache::entry_of(std::string_view key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &*found->second;
}

void ValueCache::evict_value(Entry& entry) {
  if (!entry.value) return;
  bytes_ -= entry.value->size();
  entry.value.reset();
}

void ValueCache::evict_oldest() {
  evict_value(entries_.back());
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

}  // namespace portail
