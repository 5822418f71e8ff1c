// Removing what the audit need not keep any longer: by `audit --prune`, after each import, and when a server starts.
// One thread.
#pragma once

#include <cstdint>
#include <expected>

#include "native/commands/command.hpp"

namespace portail {

// How many records were removed.
std::expected<std::uint64_t, Fault> prune_audit_of(OpenStore& portal, std::int64_t days_to_keep);

// The same beside other work, which goes on if this fails: a fault is one line on standard error.
void prune_audit(OpenStore& portal, std::int64_t days_to_keep);

}  // namespace portail
