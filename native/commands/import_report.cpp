#include "native/commands/import_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "core/json/writer.hpp"
#include "native/system/log.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// The sections by name, in the order of the document.
std::array<std::pair<std::string_view, const SectionReport*>, 4> sections_of(const ImportReport& report) {
  return {{{name_of(Section::mail_objects), &report.mail_objects},
           {name_of(Section::third_parties), &report.third_parties},
           {name_of(Section::bundles), &report.bundles},
           {name_of(Section::grants), &report.grants}}};
}

void print_section(std::string_view name, const SectionReport& section) {
  if (!section.present) return;
  print_row(name, std::to_string(section.added) + " added, " + std::to_string(section.changed) + " changed, " +
                      std::to_string(section.unchanged) + " unchanged, " + std::to_string(section.removed) +
                      " removed");
}

std::string_view change_name(ChangeKind kind) {
  return kind == ChangeKind::added ? "added" : kind == ChangeKind::changed ? "changed" : "removed";
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

void TextChanges::on_change(Section section, ChangeKind kind, std::string_view entity,
                            std::span<const std::string_view> members) {
  std::string line(change_name(kind));
  line.append(" ").append(name_of(section)).append(" ").append(entity);
  for (const std::string_view& member : members) line.append(&member == &members.front() ? ": " : ", ").append(member);
  std::ranges::replace(line, '\t', ' ');  // separates the words of a grant
  print_line(stdout, line);
}

void JsonChanges::on_change(Section section, ChangeKind kind, std::string_view entity,
                            std::span<const std::string_view> members) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().name("change").string(change_name(kind)).name("section").string(name_of(section)).name("entity");
  if (section == Section::grants) {
    std::string words(entity);
    std::ranges::replace(words, '\t', ' ');
    json.string(words);
  } else {
    json.raw(entity);
  }
  if (kind == ChangeKind::changed) {
    json.name("members").begin_array();
    for (const std::string_view member : members) json.string(member);
    json.end_array();
  }
  json.end_object();
  print_json_line(line);
}

void print_faults(const ImportReport& report) {
  for (const std::string& fault : report.faults) print_line(stderr, fault);
  if (report.fault_count > report.faults.size()) {
    print_line(stderr, "… and " + std::to_string(report.fault_count - report.faults.size()) + " more");
  }
}

void print_summary(const ImportReport& report, bool dry_run) {
  if (dry_run) print_line(stdout, "nothing was written; the import would change:");
  for (const auto& [name, section] : sections_of(report)) print_section(name, *section);
  if (report.bundles.present) print_row("deposits", std::to_string(report.deposits));
  for (const StatusCount& unknown : report.unknown_statuses) {
    print_line(stdout, "unknown status \"" + unknown.status + "\": " + std::to_string(unknown.pieces) + " pieces");
  }
  if (report.pieces_of_further_statuses > 0) {
    print_line(stdout, "further unknown statuses: " + std::to_string(report.pieces_of_further_statuses) + " pieces");
  }
}

void print_json(const ImportReport& report, bool dry_run) {
  std::string text;
  JsonWriter json(text);
  const auto number = [&json](std::string_view name, std::uint64_t value) {
    json.name(name).integer(static_cast<std::int64_t>(value));
  };
  json.begin_object().name("dryRun").boolean(dry_run).name("sections").begin_object();
  for (const auto& [name, section] : sections_of(report)) {
    if (!section->present) continue;
    json.name(name).begin_object();
    number("added", section->added);
    number("changed", section->changed);
    number("unchanged", section->unchanged);
    number("removed", section->removed);
    json.end_object();
  }
  json.end_object();
  number("deposits", report.deposits);
  json.name("unknownStatuses").begin_array();
  for (const StatusCount& unknown : report.unknown_statuses) {
    json.begin_object().name("status").raw('"' + unknown.status + '"');
    number("pieces", unknown.pieces);
    json.end_object();
  }
  json.end_array();
  number("piecesOfFurtherStatuses", report.pieces_of_further_statuses);
  json.name("faults").begin_array();
  for (const std::string& fault : report.faults) json.raw(log_string(fault));
  json.end_array();
  number("faultCount", report.fault_count);
  json.end_object();
  print_json_line(text);
}

}  // namespace portail
