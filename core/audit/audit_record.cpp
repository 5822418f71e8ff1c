#include "core/audit/audit_record.hpp"

#include "core/base/time.hpp"

namespace portail {
namespace {

void write_configuration(JsonWriter& json, const Configuration& configuration) {
  json.begin_object().name("utilisablePourLiasse").boolean(configuration.usable_for_bundle);
  json.name("typeAffectation").string(wire_name(configuration.assignment)).end_object();
}

}  // namespace

std::string_view name_of(AuditAction action) {
  switch (action) {
    case AuditAction::update:
      return "update";
    case AuditAction::replace_configuration:
      return "replace-configuration";
    case AuditAction::grants:
      return "grants";
    case AuditAction::import:
      return "import";
    case AuditAction::import_outcome:
      return "import-outcome";
    case AuditAction::keys:
      return "keys";
    case AuditAction::template_file:
      return "template-file";
    case AuditAction::erasure:
      return "erasure";
    case AuditAction::call:
      return "call";
  }
  return {};
}

void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.name(name);
  if (text.empty()) {
    json.null();
  } else {
    json.string(text);
  }
}

JsonWriter& begin_record(JsonWriter& json, AuditAction action, Instant time, const Author& author,
                         const AuditLink& link) {
  json.begin_object().name("time").string(utc_text(time)).name("action").string(name_of(action));
  write_text(json, "route", author.route);
  write_text(json, "subject", author.subject);
  write_text(json, "client", author.client);
  write_text(json, "systemUser", author.system_user);
  write_text(json, "correlationId", author.correlation_id);
  const std::string previous = link.previous ? audit_key(*link.previous) : std::string();
  const bool is_call = is_in_call_chain(action);
  write_text(json, "previous", is_call ? std::string() : previous);
  if (is_call) write_text(json, "previousCall", previous);
  write_text(json, "previousHash", link.previous_hash);
  return json.name("salt").string(link.salt);
}

std::string configuration_record(AuditAction action, Instant time, const Author& author, const AuditLink& link,
                                 std::span<const ConfigurationChange> changes) {
  std::string record;
  JsonWriter json(record);
  begin_record(json, action, time, author, link).name("changes").begin_array();
  for (const ConfigurationChange& change : changes) {
    json.begin_object().name("objetCourrier").integer(static_cast<std::int64_t>(change.mail_object)).name("from");
    write_configuration(json, change.from);
    json.name("to");
    write_configuration(json, change.to);
    json.end_object();
  }
  json.end_array().end_object();
  return record;
}

}  // namespace portail
