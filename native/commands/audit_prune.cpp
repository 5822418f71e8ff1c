#include "native/commands/audit_prune.hpp"

#include "core/base/task.hpp"
#include "core/portal/audit/trail.hpp"

namespace portail {

std::expected<std::uint64_t, Fault> prune_audit(OpenStore& portal, std::int64_t days_to_keep) {
  constexpr std::int64_t microseconds_a_day = 86'400'000'000;
  CommandContext command;
  const Instant before{command.clock.now().microseconds - days_to_keep * microseconds_a_day};
  const auto removed = run_ready(prune_audit_trail(command.context, *portal.store, before));
  if (!removed) {
    return failure("cannot remove old audit records: " + command.last_warning.text_or(describe(removed.error())));
  }
  return *removed;
}

void prune_audit_or_report(OpenStore& portal, std::int64_t days_to_keep) {
  if (const auto removed = prune_audit(portal, days_to_keep); !removed) print_error(removed.error().message);
}

}  // namespace portail
