#include "native/commands/audit_prune.hpp"

#include "core/base/task.hpp"
#include "core/portal/audit/trail.hpp"

namespace portail {

std::expected<std::uint64_t, Fault> prune_audit(OpenStore& portal, std::int64_t days_to_keep) {
  CommandContext command;
  const Instant before = days_before(command.clock.now(), days_to_keep);
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
