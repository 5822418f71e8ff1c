#include "core/webassembly/key_record.hpp"

#include <algorithm>
#include <charconv>

namespace portail {
namespace {

constexpr std::string_view record_version = "keys 1";

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
  KeyRecord record;
  record.source = *source;
  record.attempted_at = {*attempted_at};
  if (*fetched_at != 0) record.fetched_at = Instant{*fetched_at};
  record.failures = static_cast<std::uint32_t>(std::min<std::int64_t>(*failures, 1'000'000));
  record.is_fetching = *is_fetching != 0;
  record.key_set = value;
  return record;
}

}  // namespace portail
