#include "core/portal/records/consultations.hpp"

#include <algorithm>
#include <tuple>

#include "core/portal/records/lines.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::size_t consultation_part_target = max_value_size / 4;

struct Line {
  std::string_view bundle;
  std::uint64_t count = 0;
  std::string_view later_fields;  // without the tab before them; empty if there are none
};

// Returns nullopt for a line of another form.
std::optional<Line> read_line(std::string_view line) {
  Fields fields(line);
  const std::string_view bundle = fields.next_or_empty();
  const auto count = parse_count(fields.next_or_empty());
  if (!count) return std::nullopt;
  return Line{bundle, *count, fields.rest()};
}

}  // namespace

Result<std::size_t> count_consultation_parts(std::string_view part_0) {
  const auto parts = parse_count(Fields(Lines(part_0).next_or_empty()).next_or_empty());
  if (!parts || *parts == 0) return std::unexpected(Failure::corrupt);
  return static_cast<std::size_t>(*parts);
}

Result<void> Consultations::add_part(std::size_t number, std::string_view text) {
  Lines lines(text);
  if (number == 0) lines.next();
  while (const auto line = lines.next()) {
    const auto entry = read_line(*line);
    if (!entry) return std::unexpected(Failure::corrupt);
    entries_.push_back({entry->bundle, entry->count});
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
    if (entry && entry->bundle == bundle) count = std::max(count, entry->count);
  }
  const auto append = [&result](const Line& line) {
    result += line.bundle;
    result += '\t';
    result += std::to_string(line.count);
    if (!line.later_fields.empty()) (result += '\t') += line.later_fields;
    result += '\n';
  };
  bool recorded = false;
  while (const auto line = lines.next()) {
    const auto entry = read_line(*line);
    if (!entry) continue;
    if (entry->bundle != bundle) {
      append(*entry);
    } else if (!recorded) {
      append({bundle, count, entry->later_fields});
      recorded = true;
    }
  }
  if (!recorded) append({bundle, count, {}});
  return result;
}

bool consultation_part_is_full(std::string_view text) { return text.size() >= consultation_part_target; }

std::string with_consultation_parts(std::string_view part_0, std::size_t parts) {
  std::string result = std::to_string(parts);
  const std::size_t end = part_0.find_first_of("\t\n");
  result += end == std::string_view::npos ? std::string_view("\n") : part_0.substr(end);
  return result;
}

}  // namespace portail
