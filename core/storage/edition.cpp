#include "core/storage/edition.hpp"

#include <algorithm>
#include <charconv>

namespace portail {
namespace {

constexpr std::string_view edition_prefix = "18446744073709551615\tfalse\tRien\t";
constexpr std::string_view edition_id = edition_prefix.substr(0, edition_prefix.find('\t') + 1);

std::string_view state_of(const Edition& edition) { return edition.is_complete ? "complete" : "begun"; }

// Removes the first field of the line, and the tab after it.
std::string_view take_field(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(field.size() + 1, line.size()));
  return field;
}

}  // namespace

std::optional<Edition> take_edition(AuditedValue& configuration) {
  std::string_view& content = configuration.content;
  if (!content.ends_with('\n')) return std::nullopt;
  std::string_view line = content.substr(0, content.size() - 1);
  line.remove_prefix(line.rfind('\n') + 1);
  if (!line.starts_with(edition_id)) return std::nullopt;
  content.remove_suffix(line.size() + 1);
  if (!line.starts_with(edition_prefix)) return std::nullopt;
  line.remove_prefix(edition_prefix.size());
  const auto import = audit_name_of(take_field(line));
  const std::string_view state = take_field(line);
  if (!import || take_field(line) != configuration.last_key || configuration.last_key.empty()) return std::nullopt;
  std::uint32_t sections = 0;  // also if the field is absent
  std::from_chars(line.data(), line.data() + line.size(), sections);
  for (const bool is_complete : {false, true}) {
    const Edition edition{.import = *import, .is_complete = is_complete, .sections = sections};
    if (state == state_of(edition)) return edition;
  }
  return std::nullopt;
}

std::string edition_line(const Edition& edition, const AuditName& last) {
  std::string line(edition_prefix);
  line.append(audit_key(edition.import)).append("\t").append(state_of(edition)).append("\t");
  line.append(audit_key(last));
  if (edition.sections != 0) line.append("\t").append(std::to_string(edition.sections));
  line.append("\n");
  return line;
}

std::string incomplete_configuration(std::string_view value) {
  auto audited = read_audited_value(value);
  auto edition = audited ? take_edition(*audited) : std::nullopt;
  if (!edition) return std::string(value);
  edition->is_complete = false;
  std::string copy = audit_line(*audited->last);
  return copy.append(audited->content).append(edition_line(*edition, *audited->last));
}

}  // namespace portail
