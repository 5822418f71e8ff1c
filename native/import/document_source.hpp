// The sources of an import: files and standard input, and URLs.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/url.hpp"
#include "native/import/sync_state.hpp"
#include "native/system/temporary_file.hpp"

namespace portail {

// A source of an import that is a file or standard input. One thread.

// Returns why a source cannot be opened or read; `error` is an errno.
std::string read_error(int error);

// Copies the file to the spool, and returns its version; what is no regular file has none. If the file changes while it
// is copied, copies it again, at most twice; then it is unavailable.
std::expected<SourceVersion, SyncFault> copy_source(const std::string& file, std::uint64_t max_size,
                                                    TemporaryFile& spool);

// Copies a pipe, which has no version, to the spool. `name` is for messages.
std::expected<SourceVersion, SyncFault> copy_pipe(int pipe, const std::string& name, std::uint64_t max_size,
                                                  TemporaryFile& spool);

// A source of an import that is a URL. One thread.

struct SourceLimits {
  std::string ca_file = {};                        // PEM file of trusted certificate authorities; empty: the system's
  std::uint64_t max_size = 0;                      // of the document, in bytes
  std::chrono::steady_clock::time_point deadline;  // of all requests of the run
};

// Whether the text is a URL instead of a file, valid or not.
bool is_url(std::string_view source);

// Parses a URL that may be fetched: https, or http of a loopback address. Nullopt for others.
std::optional<Url> parse_source_url(std::string_view text);

// Fetches the URL, which parse_source_url() accepts, to the spool, and returns its version. Nullopt if the source still
// has the version `known`.
std::expected<std::optional<SourceVersion>, SyncFault> fetch_source(const std::string& url, const SourceLimits& limits,
                                                                    const std::optional<SourceVersion>& known,
                                                                    TemporaryFile& spool);

// Fetches a text of at most 256 KiB.
std::expected<std::string, SyncFault> fetch_text(const std::string& url, const SourceLimits& limits);

}  // namespace portail
