// Import: how data gets in (docs/reference/contract.md, "Import"). One JSON document is checked whole, then written;
// its format and every rule are in docs/how-to/import.md. The host brings the bytes, the store, the lock that keeps a
// second import out, and the terminal. One import is one request: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/exchange/changes.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The document and its template files, from the host. A failure of any call ends the import with that failure; the
// host, who knows why, tells the operator.
class ImportInput {
 public:
  virtual ~ImportInput() = default;

  // Goes back to the document's first byte. Called before each of two readings, the first one included: the document is
  // read once to check it and once to write it (a host keeps what comes from standard input in a temporary file).
  virtual Task<void> rewind(Context& context) = 0;
  // The next bytes of the document, any number but none, valid until the next call of next or rewind; nullopt at the
  // end.
  virtual Task<std::optional<std::string_view>> next(Context& context) = 0;

  // The bytes of the template file that `path` (`chemin`) names, or what is wrong with it, in a few words that follow
  // the place and a colon: "no such file", "a symbolic link leads out of the folder". `path` is relative, its segments
  // parted by '/', none of them empty, "." or "..", and holds no '\' and no control character: that is checked already;
  // that it names a regular file beneath the folder is for the host to see. A file over `largest` bytes need not be
  // read: the answer is "larger than …". Called once or twice for each template.
  virtual Task<std::expected<std::string, std::string>> read_template(Context& context, std::string_view path,
                                                                      std::size_t largest) = 0;
};

struct ImportOptions {
  bool replace_configuration = false;                           // --replace-configuration
  bool prune = false;                                           // --prune
  bool may_empty = false;                                       // --yes: pruning may empty a section
  bool dry_run = false;                                         // --dry-run: everything but the writes
  ImportChanges* changes = nullptr;                             // receives each change before it is made; may be null
  std::size_t largest_template = std::size_t{5} * 1024 * 1024;  // bytes of a template file
  // The importer in the audit trail. The texts outlive the import.
  std::string_view system_user = {};     // the operating system's name for them
  std::string_view correlation_id = {};  // of this run of the command

  // Reports a change, if `changes` is set.
  void note(Section section, ChangeKind kind, std::string_view entity,
            std::span<const std::string_view> members = {}) const {
    if (changes) changes->note(section, kind, entity, members);
  }
};

enum class ImportPhase : std::uint8_t {
  checking,  // the first reading: nothing is written yet
  writing,   // the second reading
  indexing,  // after it: what is pruned, and who may look for which bundles
};

// Told how far the import is. Called about once a chunk or a commit.
class ImportProgress {
 public:
  virtual ~ImportProgress() = default;
  // `done`: bytes of the document read in this phase; while indexing, bundles and third parties looked at.
  virtual void advance(ImportPhase phase, std::uint64_t done) = 0;
};

struct SectionReport {
  bool present = false;  // the document holds the section
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t removed = 0;
};

struct StatusCount {
  std::string status;  // as the document writes it
  std::uint64_t pieces = 0;
};

struct ImportReport {
  // What is wrong with the document, one line each: "liasses[3].piecesAttendues[0].id: not a UUID". The first
  // most_fault_lines of them; `fault_count` counts all. Where there are any, the import did not succeed.
  std::vector<std::string> faults;
  std::uint64_t fault_count = 0;
  // True with faults only where the document or a template file changed between the two readings: what was read before
  // is written. In every other case of faults the store is as it was.
  bool partly_written = false;

  SectionReport mail_objects;
  SectionReport third_parties;
  SectionReport bundles;
  SectionReport grants;

  std::uint64_t deposits = 0;  // pieces of which a deposit appeared or changed
  // Statuses that the interface does not name (they count as not validated), in the document's order; beyond
  // most_unknown_statuses different ones, only the pieces are counted.
  std::vector<StatusCount> unknown_statuses;
  std::uint64_t pieces_of_further_statuses = 0;
};

inline constexpr std::size_t most_fault_lines = 100;
inline constexpr std::size_t most_unknown_statuses = 50;

// Checks the document and, unless it has faults or options.dry_run is set, writes it: commits of at most 1,000
// entities, each entity before what names it. A dry run gives the report that the import would give. A failure (of the
// store, of the input) may leave the import half-done, every entity whole; running it again finishes it, and counts no
// deposit twice. Every import that writes leaves its record in the audit before anything else. Memory: about 100 bytes
// for each bundle, and 20 for each piece.
Task<ImportReport> import_document(Context& context, KeyValueStore& store, ImportInput& input,
                                   const ImportOptions& options, ImportProgress& progress);

}  // namespace portail
