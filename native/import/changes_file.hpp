// The changes of imports as files of JSON lines, for a program that sends messages. A change is in the file before it
// is in the store. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/exchange/changes.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "core/storage/forwarding_store.hpp"

namespace portail {

// What the last line of a file states.
struct ChangesSummary {
  std::string_view run;  // the correlation id of the import
  std::string finished;  // RFC 3339
  std::string source;
  std::string_view sha256;  // of the document; empty if unknown
};

class ChangesFile final : public ImportChangeListener {
 public:
  // Opens and locks the pending file of `id` in the folder, and creates both if missing. The lines of a run that was
  // not published stay in it. The error is a message; it is one too if another process has it.
  static std::expected<ChangesFile, std::string> open(const std::string& folder, const std::string& id);
  ChangesFile(ChangesFile&&) noexcept = default;
  ChangesFile& operator=(ChangesFile&&) = delete;
  // Removes an empty pending file.
  ~ChangesFile() override;

  void on_change(const EntityChange& change) override;

  // Writes and syncs the lines. The error is a message.
  std::expected<void, std::string> flush();
  // Appends the summary, and renames the file to FOLDER/NAME. Returns its path; nullopt without lines.
  std::expected<std::optional<std::string>, std::string> publish(const std::string& name,
                                                                 const ChangesSummary& summary);
  // Including those of earlier runs that were not published.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  ChangesFile(std::string folder, std::string path, Descriptor file)
      : folder_(std::move(folder)), path_(std::move(path)), file_(std::move(file)) {}
  static std::expected<Descriptor, std::string> open_pending(const std::string& path);
  std::expected<void, int> keep_complete_lines();

  std::string folder_;
  std::string path_;
  Descriptor file_;
  std::string lines_ = {};  // not written yet
  std::uint64_t count_ = 0;
};

// Forwards to a store, after the changes are on the disk. Same thread as both, which must outlive it.
class ReportedStore final : public GuardedStore {
 public:
  ReportedStore(KeyValueStore& target, ChangesFile& changes) : GuardedStore(target), changes_(changes) {}

 private:
  Task<void> before_change(Context& context) override;

  ChangesFile& changes_;
};

}  // namespace portail
