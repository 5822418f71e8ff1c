// A source of an import that is a file or standard input. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/import/spooled_document.hpp"
#include "native/import/sync_fault.hpp"
#include "native/import/sync_state.hpp"

namespace portail {

// Returns why a source cannot be opened or read; `error` is an errno.
std::string read_error(int error);

// Copies the file to the spool, and returns its version; what is no regular file has none. If the file changes while it
// is copied, copies it again, at most twice; then it is unavailable.
std::expected<SourceVersion, SyncFault> copy_source(const std::string& file, std::uint64_t max_size,
                                                    SpooledDocument& spool);

// Copies a pipe, which has no version, to the spool. `name` is for messages.
std::expected<SourceVersion, SyncFault> copy_pipe(int pipe, const std::string& name, std::uint64_t max_size,
                                                  SpooledDocument& spool);

}  // namespace portail
