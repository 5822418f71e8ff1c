#include "native/audit/audit_prune.hpp"

#include <utility>

#include "core/base/task.hpp"

namespace portail {
namespace {

template <class T>
std::expected<T, Fault> outcome_of(Result<T> result, const CommandContext& command) {
  if (result) return std::move(*result);
  return failure("cannot remove old audit records: " + command.last_warning.text_or(describe(result.error())));
}

}  // namespace

std::expected<std::uint64_t, Fault> prune_audit(OpenStore& portal, std::int64_t days_to_keep) {
  CommandContext command;
  const Instant before = days_before(command.clock.now(), days_to_keep);
  return outcome_of(run_ready(prune_audit_trail(command.context, *portal.store, before)), command);
}

std::expected<PrunedAudit, Fault> prune_expired_audit(OpenStore& portal, std::int64_t days_to_keep) {
  CommandContext command;
  return outcome_of(run_ready(prune_expired_audit(command.context, *portal.store, days_to_keep)), command);
}

}  // namespace portail
