#include "core/exchange/report_json.hpp"

#include <algorithm>

#include "core/base/time.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

JsonWriter& number(JsonWriter& json, std::string_view name, std::uint64_t value) {
  return json.name(name).integer(static_cast<std::int64_t>(value));
}

std::string text_json(std::string_view text) {
  std::string json;
  append_log_string(json, text);
  return json;
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  return kind == ChangeKind::added ? "added" : kind == ChangeKind::changed ? "changed" : "removed";
}

std::string change_json(const EntityChange& change, std::optional<Instant> time) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().name("change").string(name_of(change.kind));
  json.name("section").string(name_of(change.section)).name("entity");
  if (change.section == Section::grants) {
    std::string words(change.entity);
    std::ranges::replace(words, '\t', ' ');
    json.string(words);
  } else {
    json.raw(change.entity);
  }
  if (change.kind == ChangeKind::changed) {
    json.name("members").begin_array();
    for (const std::string_view member : change.members) json.string(member);
    json.end_array();
  }
  if (!change.pieces.empty()) {
    json.name("pieces").begin_array();
    for (const PieceChange& piece : change.pieces) {
      json.begin_object()
          .name("id")
          .string(piece.id)
          .name("from")
          .raw(piece.from)
          .name("to")
          .raw(piece.to)
          .end_object();
    }
    json.end_array();
  }
  if (time) json.name("time").string(utc_text(*time));
  json.end_object();
  return line;
}

std::string report_json(const ImportReport& report, bool dry_run) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("dryRun").boolean(dry_run).name("sections").begin_object();
  for (const Section each : all_sections) {
    const SectionReport& section = report.of(each);
    if (!section.present) continue;
    json.name(name_of(each)).begin_object();
    number(json, "added", section.added);
    number(json, "changed", section.changed);
    number(json, "unchanged", section.unchanged);
    number(json, "removed", section.removed).end_object();
  }
  json.end_object();
  number(json, "deposits", report.deposits).name("unknownStatuses").begin_array();
  for (const StatusCount& unknown : report.unknown_statuses) {
    json.begin_object().name("status").raw('"' + unknown.status + '"');
    number(json, "pieces", unknown.pieces).end_object();
  }
  json.end_array();
  number(json, "piecesOfFurtherStatuses", report.pieces_of_further_statuses).name("faults").begin_array();
  for (const std::string& fault : report.faults) json.raw(text_json(fault));
  json.end_array();
  number(json, "faultCount", report.fault_count);
  if (!report.dropped_template_files.empty()) {
    json.name("droppedTemplateFiles").begin_array();
    for (const std::uint64_t id : report.dropped_template_files) json.integer(static_cast<std::int64_t>(id));
    json.end_array();
  }
  if (report.changes_truncated) json.name("changesTruncated").boolean(true);
  json.end_object();
  return text;
}

}  // namespace portail
