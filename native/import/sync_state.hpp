// The state that `import --if-changed` stores for the next run: the imported version of a source, in a JSON file. One
// thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

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

}  // namespace portail
