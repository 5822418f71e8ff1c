#include "core/privacy/person.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/request.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::size_t max_subject_size = 255;

struct PersonArguments {
  std::string subject;
  bool dry_run = false;
  bool json = false;
};

std::expected<PersonData, Fault> find_person(const std::string& subject, const SettingValues& values) {
  const auto portal = open_portal(values, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  if (subject.empty() || subject.size() > max_subject_size || !is_valid_utf8(subject)) {
    return wrong_usage("SUB must be 1 to 255 bytes of UTF-8");
  }
  CommandContext command;
  auto data = run_ready(read_person(command.context, *portal->store, subject));
  if (!data) return failure("the store cannot be read: " + command.last_warning.text_or(describe(data.error())));
  return std::move(*data);
}

std::expected<void, Fault> export_person(const PersonArguments& arguments, const SettingValues& values) {
  const auto data = find_person(arguments.subject, values);
  if (!data) return std::unexpected(data.error());
  const std::string& key = values.text("log-key");
  const std::string document =
      person_document(arguments.subject, key.empty() ? "" : pseudonym_of(arguments.subject, key), *data);
  for (std::string_view rest = document; !rest.empty();) {
    if (!print_json_line(take_until(rest, '\n'))) break;
  }
  return {};
}

// What an import must remove, since an import wrote it.
std::string describe_remaining(const PersonData& data) {
  std::string text;
  const auto add = [&text](std::size_t number, std::string_view one, std::string_view more) {
    if (number > 0) text.append(text.empty() ? "" : " and ").append(counted(number, one, more));
  };
  add(data.third_parties.size(), "third party", "third parties");
  add(data.grants.size(), "grant", "grants");
  return text;
}

// How to purge what was erased from files of the store that its reads no longer use.
std::string_view purge_advice(std::string_view scheme) {
  if (scheme == "lmdb")
    return "data.mdb keeps erased bytes in free pages: copy the store by portail migrate, and replace it";
  if (scheme == "postgres") return "the server keeps erased rows and its WAL: run VACUUM FULL, then CHECKPOINT";
  if (scheme == "spin-sqlite") return "the file keeps erased bytes in free pages: run VACUUM";
  if (scheme.starts_with("redis")) return "the server's files keep erased values: run BGREWRITEAOF and BGSAVE";
  return "remove older backups and copies of the store";
}

void report_erasure(const PersonArguments& arguments, const PersonData& data,
                    const std::optional<std::string>& pseudonym, std::string_view scheme) {
  if (!arguments.json) {
    print_row("audit records", std::to_string(data.audit_keys.size()));
    print_row("consultations", std::to_string(data.consultations.size()));
    if (pseudonym) print_row("pseudonym", *pseudonym);
    const std::string remaining = describe_remaining(data);
    if (!remaining.empty())
      print_row("remain", remaining + ": remove the subject from the source, import it, and erase again");
    for (const std::string& key : data.other_keys) print_row("also in", key);
    if (pseudonym) print_row("purge", purge_advice(scheme));
    return;
  }
  std::string text;
  JsonWriter json(text);
  const auto count = [&json](std::string_view name, std::size_t number) {
    json.name(name).integer(static_cast<std::int64_t>(number));
  };
  json.begin_object().name("dryRun").boolean(arguments.dry_run);
  count("auditRecords", data.audit_keys.size());
  count("consultations", data.consultations.size());
  json.name("pseudonym").string_or_null(pseudonym);
  count("remainingThirdParties", data.third_parties.size());
  count("remainingGrants", data.grants.size());
  json.name("otherKeys").begin_array();
  for (const std::string& key : data.other_keys) json.string(key);
  json.end_array().end_object();
  print_json_line(text);
}

// Returns the pseudonym.
std::expected<std::string, Fault> erase_found(const std::string& subject, const PersonData& data,
                                              const SettingValues& values) {
  // The store exists: it was read before.
  const auto portal = open_portal(values, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  CommandContext command;
  const std::string user = system_user();
  const std::string correlation_id = correlation_id_of({}, command.random);
  const Author author{.route = "portail person erase", .system_user = user, .correlation_id = correlation_id};
  auto erased = run_ready(erase_person(command.context, *portal->store, subject, data, author));
  if (!erased) {
    return failure("the erasure stopped: " + command.last_warning.text_or(describe(erased.error())) +
                   "; run it again, it erases the rest");
  }
  return std::move(*erased);
}

std::expected<void, Fault> erase(const PersonArguments& arguments, const SettingValues& values) {
  const auto data = find_person(arguments.subject, values);
  if (!data) return std::unexpected(data.error());
  std::optional<std::string> pseudonym;
  if (!arguments.dry_run && (data->audit_keys.size() + data->consultation_keys.size() > 0 || data->import_lock)) {
    auto erased = erase_found(arguments.subject, *data, values);
    if (!erased) return std::unexpected(erased.error());
    pseudonym = std::move(*erased);
  }
  std::string_view store = values.text("store");
  report_erasure(arguments, *data, pseudonym, take_until(store, ':'));
  if (arguments.dry_run || data->other_keys.empty()) return {};
  return failure(counted(data->other_keys.size(), "value", "values") + " with the subject cannot be changed: " +
                 data->other_keys.front() + (data->other_keys.size() > 1 ? " and others" : ""));
}

CommandOption subject_option(PersonArguments& arguments) {
  return {.name = "SUB",
          .help = "The subject of the person's tokens: sub, or the claim of --subject-claim",
          .field = &arguments.subject,
          .is_required = true};
}

}  // namespace

Command person_command() {
  auto exported = std::make_shared<PersonArguments>();
  Command export_command{.name = "export",
                         .help = "Print everything stored about a person as one JSON object",
                         .settings = {"store", "log-key"},
                         .options = {subject_option(*exported)},
                         .examples = {"portail person export --store lmdb:data alice > alice.json"},
                         .run = [exported](const SettingValues& values) { return export_person(*exported, values); }};
  auto erased = std::make_shared<PersonArguments>();
  Command erase_command{
      .name = "erase",
      .help = "Remove what a person has seen, and replace the subject in the audit by a pseudonym",
      .settings = {"store"},
      .options = {subject_option(*erased),
                  {.name = "--dry-run", .help = "Only count what would be erased", .field = &erased->dry_run},
                  {.name = "--json", .help = "One JSON object instead of lines", .field = &erased->json}},
      .examples = {"portail person erase --store lmdb:data alice --dry-run",
                   "portail person erase --store lmdb:data alice"},
      .run = [erased](const SettingValues& values) { return erase(*erased, values); }};
  return {.name = "person",
          .help = "Answer a person's request for their data, or for erasure",
          .commands = {std::move(export_command), std::move(erase_command)}};
}

}  // namespace portail
