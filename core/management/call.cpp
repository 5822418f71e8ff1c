#include "core/management/call.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/audit/audit_state.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"
#include "core/json/writer.hpp"
#include "core/portal/mail_object_id.hpp"
#include "core/storage/audit_name.hpp"

namespace portail {

Response management_problem(int status, std::string_view message, std::string_view data) {
  return json_answer(error_body(message, {}, data), status);
}

Response json_answer(std::string json, int status) {
  Response response;
  response.status = status;
  response.headers.push_back({"Content-Type", std::string(json_content_type)});
  response.body = std::move(json);
  return response;
}

Response streamed_answer(std::string_view content_type, std::unique_ptr<ChunkSource> body) {
  Response response;
  response.headers.push_back({"Content-Type", std::string(content_type)});
  response.body = std::move(body);
  return response;
}

std::optional<Response> media_type_refusal(const Request& request) {
  if (has_json_content_type(request) && !is_content_coded(request)) return std::nullopt;
  return management_problem(415, "Content-Type must be application/json, without Content-Encoding");
}

std::optional<std::string> parameter_fault(std::string_view query, std::span<const std::string_view> known) {
  std::vector<std::string_view> given;
  while (const auto parameter = next_parameter(query)) {
    const auto found =
        std::ranges::find_if(known, [&](std::string_view name) { return equals_ignoring_case(parameter->name, name); });
    if (found == known.end()) {
      return "unknown parameter \"" + printable(parameter->name) + '"' + NearestName(parameter->name, known).question();
    }
    if (trimmed(parameter->value).empty()) return std::string(*found) + " has no value";
    if (std::ranges::contains(given, *found)) return std::string(*found) + " must be given once only";
    given.push_back(*found);
  }
  return std::nullopt;
}

Task<void> record_call(Context& context, KeyValueStore& store, const Author& author, std::string_view id,
                       std::string_view query, int status) {
  if (!is_readable(co_await read_format(context, store))) co_return;
  co_await append_call_record(context, store, [&](const AuditLink& link) {
    std::string record;
    JsonWriter json(record);
    begin_record(json, AuditAction::call, context.clock.now(), author, link);
    // Another id can be a personal text, which the record's hash would keep for ever.
    write_text(json, "id", parse_mail_object_id(id) ? id : std::string_view());
    write_text(json, "query", query);
    json.name("status").integer(status).end_object();
    return record;
  });
}

Task<void> record_change(Context& context, KeyValueStore& store, AuditAction action, const Author& author,
                         std::string_view name, std::string_view value) {
  std::string lost_key;  // of an attempt that lost its race
  co_await swap_configurations(context, store, [&](Configurations& configurations) -> Task<void> {
    const std::optional<AuditName> previous = configurations.last_change();
    const AuditLink link = co_await read_link(context, store, previous);
    const AuditName own = next_audit_name(context, previous);
    std::string record;
    JsonWriter json(record);
    begin_record(json, action, context.clock.now(), author, link).name(name).raw(value).end_object();
    const std::string key = audit_key(own);
    const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
    co_await store.write(context, std::span(changes).first(lost_key.empty() ? 1 : 2));
    lost_key = key;
    configurations.set_last_change(own);
  });
}

}  // namespace portail
