// A source of an import that is a file or standard input. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/sync/spooled_document.hpp"
#include "native/sync/sync_fault.hpp"
#include "native/sync/sync_state.hpp"

namespace portail {

// Copies the file to the spool, and returns its version. If the file changes while it is copied, copies it again, at
// most twice; then it is unavailable.
std::expected<SourceVersion, SyncFault> copy_source(const std::string& file, std::uint64_t max_size,
                                                    SpooledDocument& spool);

// Copies standard input, which has no version, to the spool.
std::expected<SourceVersion, SyncFault> copy_standard_input(std::uint64_t max_size, SpooledDocument& spool);

}  // namespace portail
