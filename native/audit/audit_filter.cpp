#include "native/audit/audit_filter.hpp"

#include <string_view>
#include <tuple>
#include <utility>

namespace portail {

std::vector<CommandOption> audit_filter_options(AuditFilter& filter) {
  std::vector<CommandOption> options{
      {.name = "--since",
       .help = "Since this time: 2026-01-31 (UTC), or 2026-01-31T08:00:00+01:00",
       .field = &filter.since},
      {.name = "--until", .help = "Before this time", .field = &filter.until},
      {.name = "--subject", .help = "By this subject or system user", .field = &filter.subject},
      {.name = "--client", .help = "Through this client", .field = &filter.client},
      {.name = "--object", .help = "Of this mail object's configuration", .field = &filter.mail_object},
      {.name = "--action",
       .help = "Of this kind",
       .field = &filter.action,
       .choices = {audit_actions.begin(), audit_actions.end()}},
      {.name = "--correlation-id", .help = "Of this request or command run", .field = &filter.correlation_id}};
  for (CommandOption& option : options) option.group = "Only records";
  return options;
}

std::expected<AuditFilter, Fault> read_audit_filter(AuditFilter filter) {
  for (const auto& [name, text] : {std::pair{"--since", &filter.since}, std::pair{"--until", &filter.until}}) {
    if (text->empty()) continue;
    auto time = audit_time(*text);
    if (!time) {
      return wrong_usage(std::string(name) + " must be 2026-01-31 or 2026-01-31T08:00:00+01:00, not " + *text);
    }
    *text = std::move(*time);
  }
  return filter;
}

}  // namespace portail
