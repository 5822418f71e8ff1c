// The records that an import leaves: one of itself, and one for each few hundred configurations or grants that it
// changes. Its own is put before anything else is written and named by `configuration`, so that an import that died
// half-way shows; when the import is done, the same record is put again with what came of it. One thread at a time.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/crypto/hash.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/portal/audit/change_record.hpp"

namespace portail {

class ImportAudit {
 public:
  // `document`: the hash of its bytes. A dry run leaves nothing.
  ImportAudit(KeyValueStore& store, const ImportOptions& options, const Hash16& document);

  // Changes the configurations, in one swap with the name of this import's record.
  Task<void> begin(Context& context, std::function<void(Configurations&)> edit);

  // Adds to `commit` the records of grants that go and come (lines of `droits`), the first of which follows `previous`.
  // The last one's name.
  AuditName change_grants(Context& context, Commit& commit, std::optional<AuditName> previous,
                          const std::set<std::string_view>& removed, const std::set<std::string_view>& added) const;

  // The import is done.
  Task<void> finish(Context& context, const ImportReport& report);

 private:
  [[nodiscard]] std::string own_record(const ImportReport* report, Instant now) const;

  KeyValueStore& store_;
  const ImportOptions& options_;
  std::string document_;
  Author author_;

  // The import's own record, once it has begun.
  AuditName name_;
  std::optional<AuditName> previous_;
  Instant begun_;
};

}  // namespace portail
