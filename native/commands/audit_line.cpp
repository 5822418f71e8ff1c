#include "native/commands/audit_line.hpp"

#include <string_view>

#include "core/json/writer.hpp"

namespace portail {
namespace {

// Appends the text, quoted if it has special characters.
void append_text(std::string& line, std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:/{}+ ";
  if (text.find_first_not_of(plain) == std::string_view::npos) {
    line += text;
    return;
  }
  append_json_string(line, text);
}

template <class Visit>
void for_each(JsonObject record, std::string_view name, Visit visit) {
  const auto found = member(record, name);
  const auto list = found ? array_of(*found) : std::nullopt;
  if (!list) return;
  for (const auto element : *list) {
    if (const auto object = object_of(element)) visit(*object);
  }
}

void append_configuration(std::string& line, JsonObject change, std::string_view name) {
  const auto found = member(change, name);
  const auto configuration = found ? object_of(*found) : std::nullopt;
  if (!configuration) return;
  const auto usable = member(*configuration, "utilisablePourLiasse");
  line += usable && boolean_of(*usable).value_or(false) ? "true " : "false ";
  line += string_member(*configuration, "typeAffectation").value_or("");
}

void append_changes(std::string& line, JsonObject record) {
  for_each(record, "changes", [&line](JsonObject change) {
    line += "  objetCourrier " + std::to_string(integer_member(change, "objetCourrier").value_or(0)) + ": ";
    append_configuration(line, change, "from");
    line += " -> ";
    append_configuration(line, change, "to");
  });
}

void append_grants(std::string& line, JsonObject record, std::string_view name, char sign) {
  for_each(record, name, [&line, sign](JsonObject grant) {
    line += "  ";
    line += sign;
    line += string_member(grant, "permission").value_or("");
    for (const std::string_view kind : {"utilisateur", "role", "client"}) {
      if (const auto bearer = string_member(grant, kind)) {
        line.append(" ").append(kind).append(" ");
        append_text(line, *bearer);
      }
    }
  });
}

void append_sections(std::string& line, JsonObject record) {
  if (const auto document = string_member(record, "document")) line.append("  document ").append(*document);
  const auto found = member(record, "sections");
  const auto sections = found ? object_of(*found) : std::nullopt;
  if (!sections) {
    line += "  not finished";
    return;
  }
  for (const auto section : *sections) {
    const auto counts = object_of(section.value);
    if (!counts) continue;
    line.append("  ").append(section.name);
    for (const std::string_view name : {"added", "changed", "unchanged", "removed"}) {
      line += ' ' + std::to_string(integer_member(*counts, name).value_or(0)) + ' ';
      line += name;
    }
  }
}

void append_call(std::string& line, JsonObject record) {
  line.append("  ");
  append_text(line, string_member(record, "route").value_or("-"));
  for (const std::string_view name : {"id", "query"}) {
    const auto text = string_member(record, name);
    if (!text) continue;
    line.append("  ").append(name).append(" ");
    append_text(line, *text);
  }
  line.append("  ").append(std::to_string(integer_member(record, "status").value_or(0)));
}

}  // namespace

std::string format_audit_record(JsonObject record) {
  std::string line(string_member(record, "time").value_or(""));
  const std::string_view action = string_member(record, "action").value_or("");
  line.append("  ").append(action).append("  ");
  if (const auto user = string_member(record, "systemUser")) {
    line += "system user ";
    append_text(line, *user);
  } else {
    append_text(line, string_member(record, "subject").value_or("-"));
  }
  if (const auto client = string_member(record, "client")) {
    line += " through ";
    append_text(line, *client);
  }
  append_changes(line, record);
  append_grants(line, record, "removed", '-');
  append_grants(line, record, "added", '+');
  if (action == "import") append_sections(line, record);
  if (action == "call") append_call(line, record);
  if (action == "import-outcome") line.append("  ").append(string_member(record, "import").value_or("-"));
  if (const auto pseudonym = string_member(record, "pseudonym")) line.append("  ").append(*pseudonym);
  line.append("  ").append(string_member(record, "correlationId").value_or("-"));
  return line;
}

}  // namespace portail
