#include "core/storage/edition.hpp"

namespace portail {
namespace {

constexpr std::string_view edition_id = "0\t";  // of no mail object
constexpr std::string_view edition_prefix = "0\tfalse\tRien\t";

std::string_view state_of(const Edition& edition) { return edition.is_complete ? "complete" : "begun"; }

}  // namespace

std::optional<Edition> take_edition(std::string_view& content, const std::optional<AuditName>& last) {
  if (!content.starts_with(edition_id)) return std::nullopt;
  const std::string_view line = content.substr(0, content.find('\n') + 1);
  content.remove_prefix(line.size());
  if (!last || !line.starts_with(edition_prefix)) return std::nullopt;
  const std::string_view fields = line.substr(edition_prefix.size());
  const auto import = audit_name_of(fields.substr(0, fields.find('\t')));
  if (!import) return std::nullopt;
  for (const bool is_complete : {false, true}) {
    const Edition edition{.import = *import, .is_complete = is_complete};
    if (line == edition_line(edition, *last)) return edition;
  }
  return std::nullopt;
}

std::string edition_line(const Edition& edition, const AuditName& last) {
  std::string line(edition_prefix);
  line.append(audit_key(edition.import)).append("\t").append(state_of(edition)).append("\t");
  line.append(audit_key(last)).append("\n");
  return line;
}

}  // namespace portail
