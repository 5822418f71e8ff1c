#include "core/portal/records/catalogue.hpp"

#include <algorithm>

#include "core/portal/records/lines.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

constexpr std::size_t catalogue_part_target = max_value_size / 2;
static_assert(std::ranges::all_of(fields_of<MailObject>,
                                  [](const auto& field) { return field.presence != Presence::added; }),
              "a line has added fields after those of the file");
// Instead of a file's first field, if later fields follow.
constexpr std::string_view no_file = "-";

void append_line(std::string& out, const MailObject& object) {
  out += std::to_string(object.id);
  out += '\t';
  append_fields(out, object);
  if (const auto& file = object.template_file) {
    for (const std::string_view field : {file->file_name, file->media_type}) {
      out += '\t';
      out += field;
    }
    out += '\t';
    out += std::to_string(file->size);
    out += '\t';
    out += file->hash;
  }
  out += '\n';
}

}  // namespace

std::size_t CatalogueSummary::part_of(std::uint64_t id) const {
  const auto after = std::ranges::upper_bound(parts, id, {}, &Part::first_id);
  return after == parts.begin() ? 0 : static_cast<std::size_t>(after - parts.begin()) - 1;
}

Result<CatalogueSummary> read_catalogue_summary(std::string_view part_0) {
  Fields fields(Lines(part_0).next_or_empty());
  CatalogueSummary summary;
  const auto total = parse_count(fields.next_or_empty());
  if (!total) return std::unexpected(Failure::corrupt);
  summary.total = *total;
  while (const auto field = fields.next()) {
    Splitter pair(*field, ':');
    const auto first_id = parse_count(pair.next_or_empty());
    const auto count = parse_count(pair.next_or_empty());
    if (!first_id || !count) return std::unexpected(Failure::corrupt);
    summary.parts.push_back({*first_id, *count});
  }
  return summary;
}

Result<void> Catalogue::add_part(std::size_t number, std::string_view text) {
  // A missing line end means that the value is truncated.
  if (!text.empty() && !text.ends_with('\n')) return std::unexpected(Failure::corrupt);
  Lines lines(text);
  if (number == 0) lines.next();
  constexpr std::size_t typical_line_size = 64;
  entries_.reserve(entries_.size() + text.size() / typical_line_size);
  while (const auto line = lines.next()) {
    const std::size_t tab = line->find('\t');
    const auto id = parse_count(line->substr(0, tab));
    if (!id || tab == std::string_view::npos) return std::unexpected(Failure::corrupt);
    entries_.push_back({*id, line->substr(tab + 1)});
  }
  return {};
}

Result<MailObject> Catalogue::at(std::size_t index) const {
  const Entry& entry = entries_[index];
  Fields fields(entry.rest);
  MailObject object;
  object.id = entry.id;
  if (!read_fields(fields, object)) return std::unexpected(Failure::corrupt);
  if (const auto file_name = fields.next(); file_name && *file_name != no_file) {
    TemplateFile file{.file_name = *file_name, .media_type = fields.next_or_empty(), .size = 0, .hash = {}};
    const auto size = parse_count(fields.next_or_empty());
    file.hash = fields.next_or_empty();
    if (!size || file.hash.empty()) return std::unexpected(Failure::corrupt);
    file.size = *size;
    object.template_file = file;
  }
  return object;
}

Result<std::optional<MailObject>> Catalogue::find(std::uint64_t id) const {
  const auto entry = std::ranges::lower_bound(entries_, id, {}, &Entry::id);
  if (entry == entries_.end() || entry->id != id) return std::nullopt;
  return at(static_cast<std::size_t>(entry - entries_.begin())).transform([](const MailObject& object) {
    return std::optional(object);
  });
}

std::vector<std::string> encode_catalogue(std::span<const MailObject> objects) {
  std::vector<std::string> parts(1);
  std::vector<CatalogueSummary::Part> summary;
  std::string line;
  for (const MailObject& object : objects) {
    line.clear();
    append_line(line, object);
    if (summary.empty()) {
      summary.push_back({object.id, 0});
    } else if (parts.back().size() + line.size() > catalogue_part_target) {
      parts.emplace_back();
      summary.push_back({object.id, 0});
    }
    parts.back() += line;
    ++summary.back().count;
  }
  std::string head = std::to_string(objects.size());
  for (const auto& part : summary) {
    head += '\t';
    head += std::to_string(part.first_id);
    head += ':';
    head += std::to_string(part.count);
  }
  head += '\n';
  parts.front().insert(0, head);
  return parts;
}

}  // namespace portail
