#include "core/api/answer_cache.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t max_answer_bytes = BoundedAnswerCache::max_bytes / 4;

std::size_t size_of_answer(const CachedAnswer& answer) {
  return sizeof answer + answer.key.bytes().size() + answer.body.size() + answer.tag.size() + answer.sources->bytes();
}

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Like ==, faster for long values: the C libraries of WebAssembly compare single bytes.
bool are_equal(std::string_view a, std::string_view b) {
  constexpr std::size_t step = 4 * sizeof(std::uint64_t);
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  for (; a.size() - i >= step; i += step) {
    std::uint64_t differing = 0;
    for (std::size_t k = i; k < i + step; k += sizeof differing) {
      differing |= word_at(a.data() + k) ^ word_at(b.data() + k);
    }
    if (differing != 0) return false;
  }
  return a.substr(i) == b.substr(i);
}

}  // namespace

StoredValues::StoredValues(std::span<const Value> values) : values_(values.begin(), values.end()) {}

bool StoredValues::equal(std::span<const Value> values) const {
  return std::ranges::equal(values_, values, [](const std::optional<std::string>& copy, const Value& value) {
    return copy.has_value() == value.has_value() && (!copy || are_equal(*copy, *value));
  });
}

std::size_t StoredValues::bytes() const {
  std::size_t sum = values_.size() * sizeof values_[0];
  for (const auto& value : values_) sum += value ? value->size() : 0;
  return sum;
}

std::shared_ptr<const CachedAnswer> BoundedAnswerCache::find(const CacheKey& key) {
  const auto entry = find_entry(key);
  if (entry == entries_.end()) return nullptr;
  entry->last_used = ++uses_;
  return entry->answer;
}

void BoundedAnswerCache::put(CachedAnswer answer) {
  if (const auto previous = find_entry(answer.key); previous != entries_.end()) remove(previous);
  const std::size_t bytes = size_of_answer(answer);
  if (bytes > max_answer_bytes) return;
  // The pages of one catalogue have the same source values: they share one copy.
  const auto duplicate =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return *entry.answer->sources == *answer.sources; });
  if (duplicate != entries_.end()) answer.sources = duplicate->answer->sources;
  while (entries_.size() == max_answers || bytes_ + bytes > max_bytes) {
    remove(std::ranges::min_element(entries_, {}, &Entry::last_used));
    ++evictions_;
  }
  const std::size_t hash = std::hash<std::string_view>{}(answer.key.bytes());
  entries_.push_back({.hash = hash,
                      .answer = std::make_shared<const CachedAnswer>(std::move(answer)),
                      .bytes = bytes,
                      .last_used = ++uses_});
  bytes_ += bytes;
}

std::vector<BoundedAnswerCache::Entry>::iterator BoundedAnswerCache::find_entry(const CacheKey& key) {
  const std::size_t hash = std::hash<std::string_view>{}(key.bytes());
  return std::ranges::find_if(entries_,
                              [&](const Entry& entry) { return entry.hash == hash && entry.answer->key == key; });
}

void BoundedAnswerCache::remove(std::vector<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  *entry = std::move(entries_.back());
  entries_.pop_back();
}

}  // namespace portail
