#include "native/import/import_run.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/exchange/report_json.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

void print_section(std::string_view name, const SectionReport& section) {
  if (!section.present) return;
  print_row(name, std::to_string(section.added) + " added, " + std::to_string(section.changed) + " changed, " +
                      std::to_string(section.unchanged) + " unchanged, " + std::to_string(section.removed) +
                      " removed");
}

}  // namespace

void ImportProgressBar::advance(ImportPhase phase, std::uint64_t done) {
  switch (phase) {
    case ImportPhase::checking:
      return bar_.show("checking", done, size_);
    case ImportPhase::writing:
      return bar_.show("writing", done, size_);
    case ImportPhase::indexing:
      return bar_.show("indexing", done);
  }
}

void TextChanges::on_change(const EntityChange& change) {
  std::string line(name_of(change.kind));
  line.append(" ").append(name_of(change.section)).append(" ").append(change.entity);
  for (const std::string_view& member : change.members) {
    line.append(&member == &change.members.front() ? ": " : ", ").append(member);
  }
  std::ranges::replace(line, '\t', ' ');  // separates the words of a grant
  print_line(stdout, line);
}

void JsonChanges::on_change(const EntityChange& change) { print_json_line(change_json(change, std::nullopt)); }

void print_faults(const ImportReport& report) {
  for (const std::string& fault : report.faults) print_line(stderr, fault);
  if (report.fault_count > report.faults.size()) {
    print_line(stderr, "… and " + std::to_string(report.fault_count - report.faults.size()) + " more");
  }
}

void print_summary(const ImportReport& report, bool dry_run) {
  if (dry_run) print_line(stdout, "nothing was written; the import would change:");
  for (const Section section : all_sections) print_section(name_of(section), report.of(section));
  if (report.of(Section::bundles).present) print_row("deposits", std::to_string(report.deposits));
  for (const StatusCount& unknown : report.unknown_statuses) {
    print_line(stdout, "unknown status \"" + unknown.status + "\": " + counted(unknown.pieces, "piece", "pieces"));
  }
  if (report.pieces_of_further_statuses > 0) {
    print_line(stdout, "further unknown statuses: " + counted(report.pieces_of_further_statuses, "piece", "pieces"));
  }
}

void print_json(const ImportReport& report, bool dry_run) { print_json_line(report_json(report, dry_run)); }

}  // namespace portail
