// The result of `import --if-changed` as a file for the textfile collector of Prometheus' node exporter. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace portail {

struct SyncResult {
  std::string source;                             // the value of the label
  std::int64_t finished = 0;                      // seconds since 1970
  int exit_status = 0;                            // of the command
  std::optional<std::int64_t> succeeded_at = {};  // the last success, in seconds since 1970; absent before the first
};

// Replaces the file, which all users may read. The error is a message.
std::expected<void, std::string> write_sync_metrics(const std::string& file, const SyncResult& result);

}  // namespace portail
