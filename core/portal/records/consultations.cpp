#include "core/portal/records/consultations.hpp"

#include <algorithm>
#include <tuple>

#include "core/portal/records/fields.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::size_t consultation_part_target = max_value_size / 4;

// Parses "BUNDLE TAB COUNT"; nullopt for another form.
std::optional<std::pair<std::string_view, std::uint64_t>> read_line(std::string_view line) {
  Fields fields(line);
  const std::string_view bundle = fields.next_or_empty();
  const auto count = parse_count(fields.next_or_empty());
  if (!count) return std::nullopt;
  return std::pair(bundle, *count);
}

}  // namespace

Result<std::size_t> count_consultation_parts(std::string_view part_0) {
  const auto parts = parse_count(Lines(part_0).next_or_empty());
  if (!parts || *parts == 0) return std::unexpected(Failure::corrupt);
  return static_cast<std::size_t>(*parts);
}

Result<void> Consultations::add_part(std::size_t number, std::string_view text) {
  Lines lines(text);
  if (number == 0) lines.next();
  while (const auto line = lines.next()) {
    const auto entry = read_line(*line);
    if (!entry) return std::unexpected(Failure::corrupt);
    entries_.push_back({entry->first, entry->second});
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::tie(entry.bundle, entry.count); });
  return {};
}

std::uint64_t Consultations::seen_deposits(std::string_view bundle) const {
  const auto after = std::ranges::upper_bound(entries_, bundle, {}, &Entry::bundle);
  if (after == entries_.begin() || std::prev(after)->bundle != bundle) return 0;
  return std::prev(after)->count;
}

std::string with_consultation(std::size_t part, std::string_view text, std::string_view bundle, std::uint64_t count) {
  std::string result;
  result.reserve(text.size() + bundle.size() + 24);
  Lines lines(text);
  if (part == 0) {
    result += text.empty() ? "1" : lines.next_or_empty();
    result += '\n';
  }
  for (Lines all = lines; const auto line = all.next();) {
    const auto entry = read_line(*line);
    if (entry && entry->first == bundle) count = std::max(count, entry->second);
  }
  const auto append = [&result](std::string_view id, std::uint64_t seen) {
    result += id;
    result += '\t';
    result += std::to_string(seen);
    result += '\n';
  };
  bool recorded = false;
  while (const auto line = lines.next()) {
    const auto entry = read_line(*line);
    if (!entry) continue;
    if (entry->first != bundle) {
      append(entry->first, entry->second);
    } else if (!recorded) {
      append(bundle, count);
      recorded = true;
    }
  }
  if (!recorded) append(bundle, count);
  return result;
}

bool consultation_part_is_full(std::string_view text) { return text.size() >= consultation_part_target; }

std::string with_consultation_parts(std::string_view part_0, std::size_t parts) {
  std::string result = std::to_string(parts);
  const std::size_t end = part_0.find('\n');
  result += end == std::string_view::npos ? std::string_view("\n") : part_0.substr(end);
  return result;
}

}  // namespace portail
