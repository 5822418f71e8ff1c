#include <array>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/endpoints.hpp"
#include "core/api/representations.hpp"
#include "core/audit/audit_record.hpp"
#include "core/http/conditional.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/http/request.hpp"
#include "core/json/reader.hpp"
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
std::expected<Configuration, Errors> parse_update(std::string_view body) {
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

// The stored values that a change starts from. `object` and `found` are views of the session's values.
struct Stored {
  std::unique_ptr<Session> session;
  ReadResult found;
  std::optional<MailObject> object;
};

// Reads the values. Returns the answer to a caller without the permission, or to an unknown id; nullopt: `stored` is
// set. Then the session is released: a slow client must not hold a snapshot of the store.
Task<std::optional<Response>> authorize(Context& context, const Call& call, Stored& stored) {
  const std::uint64_t id = mail_object_id(call);
  stored.session = co_await call.store.open(context);
  const ReadSpec spec{.mail_objects = ReadSpec::MailObjects::one, .id = id, .grants = true};
  co_await read(context, *stored.session, spec, stored.found);
  if (!holds(*call.caller, Permission::update_mail_objects, stored.found.grants)) {
    call.summary.reason = Reason::no_update_permission;
    co_return permission_problem(call.language, Message::permission_missing, name_of(Permission::update_mail_objects));
  }
  stored.object = co_await stored.found.mail_objects.find(id);
  if (!stored.object) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  stored.session->release();
  co_return std::nullopt;
}

// Reads the body. Sets `update`, or returns the answer to a body that is not an update.
Task<std::optional<Response>> read_update(Context& context, const Call& call, Configuration& update) {
  if (!has_json_content_type(call.request) || is_content_coded(call.request))
    co_return problem(415, call.language, Message::unsupported_media_type);
  const auto body = co_await read_body(context, call.request, max_body_size);
  if (!body) co_return problem(413, call.language, Message::content_too_large);
  const auto parsed = parse_update(*body);
  if (!parsed) co_return validation_problem(call.language, parsed.error());
  update = *parsed;
  co_return std::nullopt;
}

// Returns the text of the audit record of a change.
std::string record_of(const Context& context, const Call& call, const ConfigurationChange& change,
                      const AuditLink& link) {
  const std::string route = "PUT " + std::string(call.summary.route);
  const Author author{.route = route,
                      .subject = call.caller->subject,
                      .client = call.caller->client,
                      .system_user = {},
                      .correlation_id = call.summary.correlation_id};
  return configuration_record(AuditAction::update, context.clock.now(), author, link, std::span(&change, 1));
}

// Swaps the configuration for the updated one. nullopt: the caller must read the stored values again, since they have
// changed, or since the condition failed and they were read before the body. The audit record of the change is written
// before the swap; `audit` names the one of the last attempt, which lost its race and is removed with the same write.
Task<std::optional<Response>> swap(Context& context, const Call& call, Stored& stored, bool was_read_before_body,
                                   const Configuration& update, std::optional<AuditName>& audit) {
  Configurations& configurations = stored.found.configurations;
  const std::uint64_t id = stored.object->id;
  const ConfigurationChange change{id, configurations.of(id), update};
  std::string body;
  append_mail_object(body, *stored.object, change.from);
  if (const auto failed = failed_condition(call.request, entity_tag(body)); failed != FailedCondition::none) {
    if (was_read_before_body) co_return std::nullopt;
    co_return precondition_problem(call.language, failed);
  }

  const AuditLink link = co_await read_link(context, *stored.session, configurations.last_change());
  const AuditName name = next_audit_name(context, link.previous);
  const std::string key = audit_key(name);
  const std::string record = record_of(context, call, change, link);
  const std::string lost_key = audit ? audit_key(*audit) : std::string();
  const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
  co_await call.store.write(context, std::span(changes).first(audit ? 2 : 1));
  audit = name;
  configurations.set(id, update);
  configurations.set_last_change(name);
  if (!co_await call.store.compare_and_swap(context, configuration_key, stored.found.configuration_value,
                                            configurations.encode()))
    co_return std::nullopt;
  body.clear();
  append_mail_object(body, *stored.object, update);
  co_return answer_update(std::move(body), Caching::revalidate);
}

}  // namespace

Task<Response> update_mail_object(Context& context, const Call& call) {
  Configuration update;
  std::optional<AuditName> audit;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    Stored stored;
    if (auto refusal = co_await authorize(context, call, stored)) co_return std::move(*refusal);
    const bool is_first = attempt == 0;
    if (is_first) {
      if (auto refusal = co_await read_update(context, call, update)) co_return std::move(*refusal);
    }
    if (auto answer = co_await swap(context, call, stored, is_first, update, audit)) co_return std::move(*answer);
  }
  co_await std::unexpected(Failure::unavailable);
  co_return Response{};
}

}  // namespace portail
