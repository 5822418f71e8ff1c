// What repeated imports keep between two runs: their state, their metrics, and why a run got no document.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Why an import got no document. Plain values.

enum class SyncFaultKind : std::uint8_t {
  unavailable,  // the source is missing, does not answer, or was cut off: a later run may succeed
  refused,      // the operator must act
};

struct SyncFault {
  SyncFaultKind kind;
  std::string message;  // one line, with the source's name
};

inline std::unexpected<SyncFault> source_unavailable(std::string message) {
  return std::unexpected(SyncFault{SyncFaultKind::unavailable, std::move(message)});
}
inline std::unexpected<SyncFault> source_refused(std::string message) {
  return std::unexpected(SyncFault{SyncFaultKind::refused, std::move(message)});
}

// The state that `import --if-changed` stores for the next run: the imported version of a source, in a JSON file. One
// thread.

// A version of the source, as far as its host names it.
struct SourceVersion {
  std::string etag = {};                      // empty if absent
  std::string last_modified = {};             // an IMF-fixdate; empty if absent
  std::optional<std::int64_t> modified = {};  // of Last-Modified or the file; of a state: the newest, in s since 1970
};

struct SyncState {
  std::string sha256 = {};  // of the imported document, in lower case
  SourceVersion version = {};
  std::int64_t succeeded = 0;  // when the last run succeeded, in seconds since 1970
};

// The state of one source and store, locked against a second run for them.
class SyncStateFile {
 public:
  // `identity` names the source and the store uniquely. Creates the folder. The error is a message.
  static std::expected<SyncStateFile, std::string> open(const std::string& folder, const std::string& identity);

  // Returns nullopt before the first success.
  [[nodiscard]] std::expected<std::optional<SyncState>, std::string> read() const;
  // Replaces the file. `source` is for readers of the file.
  [[nodiscard]] std::expected<void, std::string> write(const std::string& source, const SyncState& state) const;

  // A name for further files of the same source and store: hexadecimal digits.
  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  SyncStateFile(std::string path, std::string id, Descriptor lock)
      : path_(std::move(path)), id_(std::move(id)), lock_(std::move(lock)) {}

  std::string path_;
  std::string id_;
  Descriptor lock_;
};

// The result of `import --if-changed` as a file for the textfile collector of Prometheus' node exporter. One thread.

struct SyncResult {
  std::string source;                             // the value of the label
  std::int64_t finished = 0;                      // seconds since 1970
  int exit_status = 0;                            // of the command
  std::optional<std::int64_t> succeeded_at = {};  // the last success, in seconds since 1970; absent before the first
};

// Replaces the file, which all users may read. The error is a message.
std::expected<void, std::string> write_sync_metrics(const std::string& file, const SyncResult& result);

}  // namespace portail
