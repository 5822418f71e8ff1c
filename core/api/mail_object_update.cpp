#include "core/api/mail_object_update.hpp"

#include <array>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/mail_objects.hpp"
#include "core/api/representations.hpp"
#include "core/http/conditional.hpp"
#include "core/http/media_type.hpp"
#include "core/http/problem.hpp"
#include "core/http/read_body.hpp"
#include "core/json/reader.hpp"
#include "core/portal/audit/change_record.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t max_body_size = 64 * 1024;
constexpr JsonLimits body_limits{.max_depth = 64, .unique_names = false, .max_size = max_body_size};
// Each lost race is an accepted PUT; so many in a row mean that the store is overloaded.
constexpr int max_attempts = 1000;

using Errors = std::vector<ValidationError>;

// Returns one required field; its fault, if any, is added to `errors`.
std::optional<JsonValue> required(JsonObject object, std::string_view name, Errors& errors) {
  const FoundMember found = find_member_ignoring_case(object, name);
  if (found.count == 1) return found.value;
  errors.push_back({found.count == 0 ? Message::field_missing : Message::field_repeated, name});
  return std::nullopt;
}

// Parses ObjetCourrierUpdateDto (docs/reference/contract.md, "Resources").
std::expected<Configuration, Errors> read_update(std::string_view body) {
  const auto document = parse_json(body, body_limits);
  if (!document) return std::unexpected(Errors{{body_message(document.error())}});
  const auto object = object_of(document->root());
  if (!object) return std::unexpected(Errors{{Message::body_not_an_object}});

  Configuration update;
  Errors errors;
  if (const auto value = required(*object, "utilisablePourLiasse", errors)) {
    const auto usable = boolean_of(*value);
    if (!usable) errors.push_back({Message::field_not_boolean, "utilisablePourLiasse"});
    update.usable_for_bundle = usable.value_or(false);
  }
  if (const auto value = required(*object, "typeAffectation", errors)) {
    const auto name = string_of(*value);
    const auto assignment = name ? parse_assignment(*name) : std::nullopt;
    if (!assignment) errors.push_back({Message::field_not_assignment_type, "typeAffectation"});
    update.assignment = assignment.value_or(Assignment::none);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return update;
}

// Writes the audit record of a change before its swap, and removes the record of an attempt that lost its race. A
// failure ends the PUT without a change.
Task<AuditName> put_record(Context& context, const Call& call, const ConfigurationChange& change,
                           std::optional<AuditName> previous, std::optional<AuditName> lost) {
  const AuditName name = next_audit_name(context, previous);
  const std::string key = audit_key(name);
  const std::string route = "PUT " + std::string(call.summary.route);
  const Author author{.route = route,
                      .subject = call.caller->subject,
                      .client = call.caller->client,
                      .system_user = {},
                      .correlation_id = call.summary.correlation_id};
  const std::string record =
      configuration_record(AuditAction::update, context.clock.now(), author, previous, std::span(&change, 1));
  const std::string lost_key = lost ? audit_key(*lost) : std::string();
  const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
  co_await call.store.write(context, std::span(changes).first(lost ? 2 : 1));
  co_return name;
}

}  // namespace

Task<Response> update_mail_object(Context& context, const Call& call) {
  const std::uint64_t id = mail_object_id(call);
  std::optional<Configuration> update;
  std::optional<AuditName> lost_record;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    auto session = co_await call.store.open(context);
    ReadResult found;
    co_await read(context, *session, {.mail_objects = ReadSpec::MailObjects::one, .id = id, .grants = true}, found);
    if (!holds(*call.caller, Permission::update_mail_objects, found.grants)) {
      call.summary.reason = describe_missing(Permission::update_mail_objects);
      co_return problem(403, call.language, Message::permission_missing);
    }
    const auto object = co_await found.mail_objects.find(id);
    if (!object) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
    if (!update) {
      session.reset();  // a slow client must not hold a snapshot of the store
      if (!has_json_content_type(call.request) || is_content_coded(call.request))
        co_return problem(415, call.language, Message::unsupported_media_type);
      const auto body = co_await read_body(context, call.request, max_body_size);
      if (!body) co_return problem(413, call.language, Message::content_too_large);
      const auto read = read_update(*body);
      if (!read) co_return validation_problem(call.language, read.error());
      update = *read;
      continue;
    }

    const Configuration before = found.configurations.of(id);
    std::string current;
    append_mail_object(current, *object, before);
    if (!if_match_allows(call.request, entity_tag(current)))
      co_return problem(412, call.language, Message::precondition_failed);

    const AuditName record =
        co_await put_record(context, call, {id, before, *update}, found.configurations.last_change(), lost_record);
    found.configurations.set(id, *update);
    found.configurations.set_last_change(record);
    if (co_await call.store.compare_and_swap(context, configuration_key, found.configuration_value,
                                             found.configurations.encode())) {
      std::string body;
      append_mail_object(body, *object, *update);
      co_return answer_update(std::move(body), Caching::revalidate);
    }
    lost_record = record;
  }
  co_await std::unexpected(Failure::unavailable);
  co_return Response{};
}

}  // namespace portail
