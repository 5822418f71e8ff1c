// Import of data (docs/reference/contract.md, "Import"). One JSON document is checked completely, then written.
// docs/how-to/import.md has its format and all rules. The host provides the bytes, the store, the lock against a second
// import, and the terminal. One import is one request: one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/audit/audit_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/changes.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The document and its template files, provided by the host. A failure of any call ends the import with that failure;
// the host reports the cause to the operator.
class ImportInput {
 public:
  virtual ~ImportInput() = default;

  // Seeks to the document's first byte. Called before each of the two passes: the first checks the document, the second
  // writes it. A host copies standard input to a temporary file.
  virtual Task<void> rewind(Context& context) = 0;
  // Returns the next bytes of the document, at least one, valid until the next call of next or rewind; nullopt at the
  // end.
  virtual Task<std::optional<std::string_view>> next(Context& context) = 0;

  // Returns the bytes of the template file of a mail object, at `path` (`chemin`), or the message of a fault: "no such
  // file", "a symbolic link points outside the folder". `path` is relative, without '\', control characters, or
  // segments that are empty,
  // "." or "..": this is checked before. The host checks that it names a regular file in the document's directory. A
  // file over `max_size` bytes need not be read: the message is "larger than …". Called once or twice for each
  // template.
  virtual Task<std::expected<std::string, std::string>> read_template(Context& context, std::uint64_t mail_object,
                                                                      std::string_view path, std::size_t max_size) = 0;
};

struct ImportOptions {
  bool replace_configuration = false;                            // --replace-configuration
  bool prune = false;                                            // --prune
  bool allow_empty_sections = false;                             // --yes: an empty section may remove all
  bool dry_run = false;                                          // --dry-run: everything but the writes
  ImportChangeListener* change_listener = nullptr;               // called before each change; may be null
  std::size_t max_template_size = std::size_t{5} * 1024 * 1024;  // bytes of one template file
  Author author = {};                                            // in the audit trail

  // Reports a change, if `change_listener` is set.
  void report_change(const EntityChange& change) const {
    if (change_listener) change_listener->on_change(change);
  }
};

enum class ImportPhase : std::uint8_t {
  checking,  // the first pass; nothing is written
  writing,   // the second pass
  indexing,  // the scan after it: pruning, and the index of persons' bundles
};

// Receives the progress of an import, about once a chunk or a commit.
class ImportProgress {
 public:
  virtual ~ImportProgress() = default;
  // `done`: bytes of the document read in this phase; in the phase `indexing`, the number of visited bundles and third
  // parties.
  virtual void advance(ImportPhase phase, std::uint64_t done) = 0;
};

class IgnoredProgress final : public ImportProgress {
 public:
  void advance(ImportPhase, std::uint64_t) override {}
};

struct SectionReport {
  bool present = false;  // whether the document has the section
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t removed = 0;
};

struct StatusCount {
  std::string status;  // as in the document, a JSON string without its quotes
  std::uint64_t pieces = 0;
  std::string composed_form;  // of the status, which spellings are compared by
};

struct ImportReport {
  // The faults of the document, one line each: "liasses[3].piecesAttendues[0].id: not a UUID". At most max_fault_lines
  // lines; `fault_count` counts all faults. With faults, the import failed.
  std::vector<std::string> faults;
  std::uint64_t fault_count = 0;
  // True with faults if the document or a template file changed between the two passes, after a part was written. With
  // any other fault the store is unchanged.
  bool partially_written = false;

  std::array<SectionReport, section_names.size()> sections;
  [[nodiscard]] SectionReport& of(Section section) { return sections[static_cast<std::size_t>(section)]; }
  [[nodiscard]] const SectionReport& of(Section section) const { return sections[static_cast<std::size_t>(section)]; }

  std::uint64_t deposits = 0;  // pieces with a new or changed deposit
  // Statuses that the interface does not name (they count as not validated), in the document's order and the first
  // spelling of its composition. Beyond max_unknown_statuses different ones, only the pieces are counted.
  std::vector<StatusCount> unknown_statuses;
  std::uint64_t pieces_of_further_statuses = 0;

  // The mail objects of the document whose template file was sent to the management interface, but is not used: it had
  // expired, or another import has replaced the stored file since. Ascending.
  std::vector<std::uint64_t> dropped_template_files;
  bool changes_truncated = false;  // the host could not keep all changes that it was told of
};

inline constexpr std::size_t max_fault_lines = 100;
inline constexpr std::size_t max_unknown_statuses = 50;

// Adds pieces to the report's count of an unknown status, a JSON string.
void count_unknown_status(ImportReport& report, std::string_view status, std::uint64_t pieces);

// Checks the document and writes it, unless it has faults or options.dry_run is set. Commits have at most 1,000
// entities; each entity is written before what refers to it. A dry run returns the same report. A failure of the store
// or the input may leave the import incomplete, with every entity consistent. Importing again completes it, and counts
// no deposit twice. Every import that writes records itself in the audit first. Memory: about 100 bytes for each
// bundle, and 20 for each piece.
Task<ImportReport> import_document(Context& context, KeyValueStore& store, ImportInput& input,
                                   const ImportOptions& options, ImportProgress& progress);

// Imports a document from a string. One thread.

// A document in one chunk, and its template files by `chemin`.
class TextInput final : public ImportInput {
 public:
  explicit TextInput(std::string_view document, std::map<std::string, std::string, std::less<>> templates = {})
      : document_(document), templates_(std::move(templates)) {}

  Task<void> rewind(Context&) override {
    is_read_ = false;
    co_return;
  }
  Task<std::optional<std::string_view>> next(Context&) override {
    if (std::exchange(is_read_, true) || document_.empty()) co_return std::nullopt;
    co_return document_;
  }
  Task<std::expected<std::string, std::string>> read_template(Context&, std::uint64_t, std::string_view path,
                                                              std::size_t) override {
    const auto found = templates_.find(path);
    if (found == templates_.end()) co_return std::expected<std::string, std::string>(std::unexpected("no such file"));
    co_return std::expected<std::string, std::string>(found->second);
  }

 private:
  std::string_view document_;
  std::map<std::string, std::string, std::less<>> templates_;
  bool is_read_ = false;
};

// For stores that never suspend. `document` and the templates' bytes must live until this returns.
inline Result<ImportReport> import_text(Context& context, KeyValueStore& store, std::string_view document,
                                        std::map<std::string, std::string, std::less<>> templates = {},
                                        const ImportOptions& options = {}) {
  TextInput input(document, std::move(templates));
  IgnoredProgress progress;
  return run_ready(import_document(context, store, input, options, progress));
}

}  // namespace portail
