#include "core/portal/records/person_index.hpp"

#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::size_t index_part_target = max_value_size / 2;

}  // namespace

Result<std::size_t> count_index_parts(std::string_view part_0) {
  Lines lines(part_0);
  const auto parts = parse_count(Fields(lines.next_or_empty()).next_or_empty());
  if (!parts || *parts == 0) return std::unexpected(Failure::corrupt);
  return static_cast<std::size_t>(*parts);
}

IndexEntries::IndexEntries(std::size_t part, std::string_view text) : lines_(text) {
  if (part == 0) lines_.next();
}

Result<std::optional<IndexEntry>> IndexEntries::next() {
  const auto line = lines_.next();
  if (!line) return std::nullopt;
  Fields fields(*line);
  const IndexEntry entry{.id = fields.next_or_empty(), .third_party = fields.next_or_empty()};
  if (entry.third_party.empty()) return std::unexpected(Failure::corrupt);
  return entry;
}

std::vector<std::string> encode_index(std::string_view person, std::span<const IndexEntry> entries) {
  std::vector<std::string> parts(1);
  for (const IndexEntry& entry : entries) {
    if (parts.back().size() + entry.id.size() + entry.third_party.size() > index_part_target) parts.emplace_back();
    std::string& part = parts.back();
    part += entry.id;
    part += '\t';
    part += entry.third_party;
    part += '\n';
  }
  std::string head = std::to_string(parts.size());
  head += '\t';
  head += person;
  head += '\n';
  parts.front().insert(0, head);
  return parts;
}

}  // namespace portail
