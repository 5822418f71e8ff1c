// The audit records of an import: one of the import, and one for each few hundred configurations or grants that it
// changes. The import's record is written first and named by `configuration`, so that an interrupted import is visible.
// At the end the same record is written again with the outcome. If another record follows it by then, which has the
// hash of the record without the outcome, a last record has the hash with it. The store's edition
// (core/storage/edition.hpp) is the import's, incomplete until then; after an import that was interrupted, until its
// sections were imported. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/audit/audit_record.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/storage/edition.hpp"

namespace portail {

class ImportAudit {
 public:
  // `document` is the hash of the document's bytes, `sections` has a bit for each of its sections. A dry run writes no
  // records.
  ImportAudit(KeyValueStore& store, const ImportOptions& options, const Hash16& document, std::uint32_t sections);

  // Changes the configurations in one swap, which also names this import's record.
  Task<void> begin(Context& context, std::function<void(Configurations&)> edit);

  // Adds the records of removed and added grants (lines of `droits`) to `commit`; the first one has `link`. Returns the
  // last one's name.
  AuditName change_grants(Context& context, Commit& commit, AuditLink link, const std::set<std::string_view>& removed,
                          const std::set<std::string_view>& added) const;

  // Writes the import's record with its outcome.
  Task<void> finish(Context& context, const ImportReport& report);

 private:
  [[nodiscard]] std::string own_record(const ImportReport* report, Instant now) const;
  // Returns the record of the hash of `own`, the own record with its outcome.
  [[nodiscard]] std::string outcome_record(Context& context, const AuditLink& link, std::string_view own) const;

  KeyValueStore& store_;
  const ImportOptions& options_;
  std::string document_;
  std::uint32_t sections_;
  Author author_;

  Edition edition_;  // as of begin()
  // The import's own record, set by begin().
  AuditName name_;
  AuditLink link_;
  Instant started_;
};

}  // namespace portail
