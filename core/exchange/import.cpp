#include "core/exchange/import.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "core/exchange/document/faults.hpp"
#include "core/exchange/steps/check.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/steps/entities.hpp"
#include "core/exchange/steps/import_audit.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/pruning.hpp"
#include "core/exchange/steps/store_scan.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/json/normal_form.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/format.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

ImportReport refused(ImportReport report, Faults& faults, bool partially_written) {
  report.fault_count = faults.count();
  report.faults = faults.release_lines();
  report.partially_written = partially_written;
  return report;
}

// Replaces the value `droits` by the document's, in one write with the audit records of the change.
Task<void> write_grants(Context& context, KeyValueStore& store, const std::string& grants, const ImportAudit& audit,
                        const ImportOptions& options, SectionReport& report) {
  const auto session = co_await store.open(context);
  const AuditedValue stored = co_await read_stored_grants(context, *session);

  std::set<std::string_view> removed;
  std::set<std::string_view> added;
  for (Lines lines(stored.content); const auto line = lines.next();) removed.insert(*line);
  for (Lines lines(grants); const auto line = lines.next();) {
    if (removed.erase(*line) == 1) {
      ++report.unchanged;
    } else {
      added.insert(*line);
    }
  }
  report.added = added.size();
  report.removed = removed.size();
  for (const std::string_view line : added) {
    options.report_change({.section = Section::grants, .kind = ChangeKind::added, .entity = line});
  }
  for (const std::string_view line : removed) {
    options.report_change({.section = Section::grants, .kind = ChangeKind::removed, .entity = line});
  }

  if (stored.content == grants) co_return;
  Commit commit(store, options.dry_run);
  AuditLink link = co_await read_link(context, *session, stored.last);
  const AuditName record = audit.change_grants(context, commit, std::move(link), removed, added);
  commit.put(std::string(grants_key), audit_line(record) + grants);
  co_await commit.write(context);
}

}  // namespace

void count_unknown_status(ImportReport& report, std::string_view status, std::uint64_t pieces) {
  status = status.substr(1, status.size() - 2);
  std::string form = composed(status);
  const auto counted = std::ranges::find(report.unknown_statuses, form, &StatusCount::composed_form);
  if (counted != report.unknown_statuses.end()) {
    counted->pieces += pieces;
  } else if (report.unknown_statuses.size() < max_unknown_statuses) {
    report.unknown_statuses.push_back({std::string(status), pieces, std::move(form)});
  } else {
    report.pieces_of_further_statuses += pieces;
  }
}

Task<ImportReport> import_document(Context& context, KeyValueStore& store, ImportInput& input,
                                   const ImportOptions& options, ImportProgress& progress) {
  ImportReport report;
  Faults faults;
  const FormatState format = co_await read_format(context, store);
  if (!accepts_imports(format)) {
    faults.add({nullptr, "store", {}}, describe(format));
    co_return refused(std::move(report), faults, false);
  }

  const CheckedDocument document = co_await check_document(context, store, input, options, progress, faults, report);
  if (faults.count() > 0) co_return refused(std::move(report), faults, false);
  for (const Section section : all_sections) report.of(section).present = document.has(section);

  Commit commit(store, options.dry_run);
  if (format != FormatState::current) {
    commit.put(std::string(format_key), std::string(current_format));
    co_await commit.write(context);
  }
  MailObjectsStep mail_objects(store, input, options, faults, report.of(Section::mail_objects));
  ImportAudit audit(store, options, document.hash, static_cast<std::uint32_t>(document.present.to_ulong()));
  if (document.has(Section::mail_objects)) {
    co_await mail_objects.write(context, document.mail_objects, audit);
  } else {
    co_await audit.begin(context, [](Configurations&) {});
  }
  if (faults.count() > 0) co_return refused(std::move(report), faults, true);

  if (std::ranges::any_of(stored_entities, [&](const StoredEntity& each) { return document.has(each.section); })) {
    co_await write_entities(context, store, input, options, progress, document.hash, faults, report);
    if (faults.count() > 0) co_return refused(std::move(report), faults, !options.dry_run);
    if (!options.dry_run || options.prune) {
      StoreScan store_scan;
      co_await scan_store(context, store, document, options, progress, report, store_scan);
      if (!options.dry_run) co_await store_scan.index.write(context, store);
      // First those that refer to others.
      for (const KeyList& removed : store_scan.removed | std::views::reverse) co_await removed.remove(context, commit);
    }
  }
  if (prunes(options, document, Section::mail_objects)) co_await mail_objects.prune(context, document.mail_objects);
  if (document.has(Section::grants)) {
    co_await write_grants(context, store, document.grants, audit, options, report.of(Section::grants));
  }
  co_await audit.finish(context, report);
  co_return report;
}

}  // namespace portail
