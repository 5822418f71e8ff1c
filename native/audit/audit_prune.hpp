// Removes audit records after their retention: by `audit --prune`, after each import, and at the start of a server. One
// thread.
#pragma once

#include <cstdint>
#include <expected>

#include "core/audit/trail.hpp"
#include "native/commands/command.hpp"

namespace portail {

// Returns the number of removed records.
std::expected<std::uint64_t, Fault> prune_audit(OpenStore& portal, std::int64_t days_to_keep);

// The same without an operator (core/audit/trail.hpp).
std::expected<PrunedAudit, Fault> prune_expired_audit(OpenStore& portal, std::int64_t days_to_keep);

}  // namespace portail
