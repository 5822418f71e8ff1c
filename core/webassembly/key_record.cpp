#include "core/webassembly/key_record.hpp"

#include <algorithm>
#include <charconv>

namespace portail {
namespace {

constexpr std::string_view record_version = "keys 1";
// After the timeout of a fetch, when another instance may assume that the one that fetched has ended.
constexpr std::int64_t grace_seconds = 2;

// Returns the text up to `end`, which must follow, and removes both.
std::optional<std::string_view> take(std::string_view& text, char end) {
  const std::size_t size = text.find(end);
  if (size == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size + 1);
  return taken;
}

std::optional<std::int64_t> take_number(std::string_view& text, char end) {
  const auto digits = take(text, end);
  std::int64_t number = 0;
  if (!digits) return std::nullopt;
  const char* last = digits->data() + digits->size();
  const auto [parsed, error] = std::from_chars(digits->data(), last, number);
  if (error != std::errc{} || parsed != last || number < 0) return std::nullopt;
  return number;
}

Instant after(Instant from, std::int64_t seconds) { return {from.microseconds + seconds * 1'000'000}; }

}  // namespace

std::string encode(const KeyRecord& record) {
  std::string value;
  value.reserve(record.key_set.size() + record.source.size() + 80);
  value.append(record_version).append("\n").append(record.source).append("\n");
  value.append(std::to_string(record.attempted_at.microseconds)).append(" ");
  value.append(std::to_string(record.fetched_at ? record.fetched_at->microseconds : 0)).append(" ");
  value.append(std::to_string(record.failures)).append(" ");
  value.append(record.is_fetching ? "1\n" : "0\n").append(record.key_set);
  return value;
}

std::optional<KeyRecord> parse_key_record(std::string_view value) {
  if (take(value, '\n') != record_version) return std::nullopt;
  const auto source = take(value, '\n');
  const auto attempted_at = take_number(value, ' ');
  const auto fetched_at = take_number(value, ' ');
  const auto failures = take_number(value, ' ');
  const auto is_fetching = take_number(value, '\n');
  if (!source || !attempted_at || !fetched_at || !failures || !is_fetching) return std::nullopt;
  KeyRecord record{.source = *source, .attempted_at = {*attempted_at}};
  if (*fetched_at != 0) record.fetched_at = Instant{*fetched_at};
  record.failures = static_cast<std::uint32_t>(std::min<std::int64_t>(*failures, 1'000'000));
  record.is_fetching = *is_fetching != 0;
  record.key_set = value;
  return record;
}

Instant due_at(const KeyRecord& record, const FetchTimes& times) {
  constexpr std::uint32_t max_doublings = 20;
  if (record.is_fetching) return after(record.attempted_at, times.timeout + grace_seconds);
  if (record.failures == 0) return record.fetched_at ? after(*record.fetched_at, times.interval) : Instant{};
  const std::int64_t initial = record.fetched_at ? times.min_interval : 1;
  const std::int64_t max = record.fetched_at ? std::max(times.interval, times.min_interval) : times.min_interval;
  const std::int64_t doubled = initial * (std::int64_t{1} << std::min(record.failures - 1, max_doublings));
  return after(record.attempted_at, std::min(doubled, max));
}

Instant due_for_unknown_key(const KeyRecord& record, const FetchTimes& times) {
  if (record.is_fetching) return due_at(record, times);
  return std::min(due_at(record, times), after(record.attempted_at, times.min_interval));
}

bool has_valid_keys(const KeyRecord& record, const FetchTimes& times, Instant now) {
  return record.fetched_at && now < after(*record.fetched_at, times.max_age);
}

}  // namespace portail
