#include "core/api/answer_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace portail {
namespace {

constexpr std::size_t largest_answer = BoundedAnswerMemory::most_bytes / 8;

std::size_t memory_of(const RememberedAnswer& answer) {
  return sizeof answer + answer.question.bytes().size() + answer.body.size() + answer.tag.size() +
         answer.made_of->bytes();
}

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// As ==, for long values: the C libraries of WebAssembly compare byte by byte.
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

StoredCopies::StoredCopies(std::span<const Value> values) : values_(values.begin(), values.end()) {}

bool StoredCopies::equal(std::span<const Value> values) const {
  return std::ranges::equal(values_, values, [](const std::optional<std::string>& copy, const Value& value) {
    return copy.has_value() == value.has_value() && (!copy || are_equal(*copy, *value));
  });
}

std::size_t StoredCopies::bytes() const {
  std::size_t sum = values_.size() * sizeof values_[0];
  for (const auto& value : values_) sum += value ? value->size() : 0;
  return sum;
}

std::shared_ptr<const RememberedAnswer> BoundedAnswerMemory::find(const CacheKey& question) {
  const auto place = place_of(question);
  if (place == places_.end()) return nullptr;
  place->asked = ++questions_;
  return place->answer;
}

void BoundedAnswerMemory::keep(RememberedAnswer answer) {
  if (const auto before = place_of(answer.question); before != places_.end()) forget(before);
  const std::size_t bytes = memory_of(answer);
  if (bytes > largest_answer) return;
  // The pages of one catalogue are made of the same values: one copy of them is enough.
  const auto same =
      std::ranges::find_if(places_, [&](const Place& place) { return *place.answer->made_of == *answer.made_of; });
  if (same != places_.end()) answer.made_of = same->answer->made_of;
  while (places_.size() == most_answers || bytes_ + bytes > most_bytes) {
    forget(std::ranges::min_element(places_, {}, &Place::asked));
  }
  const std::size_t hash = std::hash<std::string_view>{}(answer.question.bytes());
  places_.push_back({.hash = hash,
                     .answer = std::make_shared<const RememberedAnswer>(std::move(answer)),
                     .bytes = bytes,
                     .asked = ++questions_});
  bytes_ += bytes;
}

std::vector<BoundedAnswerMemory::Place>::iterator BoundedAnswerMemory::place_of(const CacheKey& question) {
  const std::size_t hash = std::hash<std::string_view>{}(question.bytes());
  return std::ranges::find_if(
      places_, [&](const Place& place) { return place.hash == hash && place.answer->question == question; });
}

void BoundedAnswerMemory::forget(std::vector<Place>::iterator place) {
  bytes_ -= place->bytes;
  *place = std::move(places_.back());
  places_.pop_back();
}

}  // namespace portail
