#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/endpoints.hpp"
#include "core/api/mail_object_selection.hpp"
#include "core/api/parameters.hpp"
#include "core/api/representations.hpp"
#include "core/base/cache_key.hpp"
#include "core/base/text.hpp"
#include "core/http/content_disposition.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"
#include "core/json/writer.hpp"
#include "core/portal/mail_object_id.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/template_file.hpp"

namespace portail {
namespace {

// The parameters of a request for mail objects.
struct MailObjectQuery {
  CacheKeyKind kind;
  ReadSpec spec;
  std::string filter;
  std::vector<SortKey> sorting;
};

// Parses the query. A page ordered by id reads only its own stored parts; another order or a filter reads all.
std::expected<MailObjectQuery, std::vector<ValidationError>> parse_query(const Call& call) {
  MailObjectQuery query{.kind = CacheKeyKind::mail_objects_page, .spec = {}, .filter = {}, .sorting = {}};
  std::vector<ValidationError> errors;
  const std::string_view query_string = call.target.query();
  const auto read = [&](const Parameter& parameter, std::string_view member, Message out_of_range,
                        std::uint64_t& value) {
    const auto given = int32_parameter(query_string, parameter.name);
    const std::int32_t number = given ? given->value_or(parameter.default_value) : 0;
    if (!given || number < parameter.min || number > parameter.max) {
      errors.push_back({out_of_range, member});
    } else {
      value = static_cast<std::uint64_t>(number);
    }
  };
  read(parameters::skip_count, "skipCount", Message::skip_count_out_of_range, query.spec.skip);
  read(parameters::max_result_count, "maxResultCount", Message::max_result_count_out_of_range, query.spec.count);
  auto sorting = read_sorting(query_value(query_string, parameters::sorting.name).value_or(""));
  if (!sorting) {
    errors.push_back({Message::sorting_unknown, "sorting"});
  } else {
    query.sorting = std::move(*sorting);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  query.filter = query_value(query_string, parameters::filter.name).value_or("");
  if (trimmed(query.filter).empty()) query.filter.clear();
  query.spec.mail_objects =
      query.filter.empty() && query.sorting.empty() ? ReadSpec::MailObjects::page : ReadSpec::MailObjects::all;
  return query;
}

// Returns the key of the query's answer in the cache.
CacheKey cache_key_of(const MailObjectQuery& query) {
  CacheKey cache_key(query.kind);
  cache_key.add(query.spec.skip).add(query.spec.count).add(query.spec.id).add(query.sorting.size());
  for (const SortKey& key : query.sorting) {
    cache_key.add((static_cast<std::uint64_t>(key.field) << 1U) | (key.descending ? 1U : 0U));
  }
  cache_key.add(query.filter);
  return cache_key;
}

// Builds the answer's body; nullopt if the mail object does not exist.
using BuildBody = Task<std::optional<std::string>>(Context& context, const ReadResult& data,
                                                   const MailObjectQuery& query);

Task<std::optional<std::string>> body_of_selected_page(Context& context, const ReadResult& data,
                                                       const MailObjectQuery& query);

// Answers from the cache if no value has changed, or builds the body from the stored values.
Task<Response> answer_mail_objects(Context& context, const Call& call, MailObjectQuery query, BuildBody* build_body) {
  const auto session = co_await call.store.open(context);
  CacheKey cache_key = cache_key_of(query);
  const auto revision = session->revision();
  auto cached = revision ? find_answer(context, cache_key, revision, {}) : nullptr;
  if (cached) co_return answer_json(call, *cached, Caching::revalidate);
  ReadResult data;
  PortalReader reader(query.spec, data);
  co_await reader.fetch(context, *session);
  const std::vector<Value> values = revision ? std::vector<Value>() : reader.values();
  if (!revision) cached = find_answer(context, cache_key, revision, values);
  if (cached) co_return answer_json(call, *cached, Caching::revalidate);
  co_await reader.decode();
  if (query.spec.mail_objects == ReadSpec::MailObjects::page && !data.agrees_with_summary) {
    // The total and the positions of the summary are not those of the parts: count and select in all of them.
    query.spec.mail_objects = ReadSpec::MailObjects::all;
    session->release();
    co_return co_await answer_mail_objects(context, call, std::move(query), body_of_selected_page);
  }
  auto body = co_await build_body(context, data, query);
  if (!body) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  co_return answer_json(context, call, std::move(cache_key), revision, values, std::move(*body), Caching::revalidate);
}

std::string beginning_of_page(std::uint64_t total) {
  std::string body;
  body.reserve(4096);
  append_all(body, {"{\"totalCount\":", std::to_string(total), ",\"items\":["});
  return body;
}

Task<std::optional<std::string>> body_of_page(Context&, const ReadResult& data, const MailObjectQuery& query) {
  std::string body = beginning_of_page(data.summary.total);
  const std::size_t available = data.mail_objects.size();
  const auto begin = static_cast<std::size_t>(
      std::min<std::uint64_t>(query.spec.skip - std::min(data.first_position, query.spec.skip), available));
  const std::size_t end = std::min(begin + static_cast<std::size_t>(query.spec.count), available);
  for (std::size_t i = begin; i < end; ++i) {
    const MailObject object = co_await data.mail_objects.at(i);
    if (i > begin) body += ',';
    append_mail_object(body, object, data.configurations.of(object.id));
  }
  body += "]}";
  co_return body;
}

// Appends at most `count` objects from `skip` on, and the end of the array.
void append_range(std::string& body, const MailObjectsInOrder& objects, std::uint64_t skip, std::uint64_t count,
                  const Configurations& configurations) {
  std::uint64_t position = 0;
  for (const auto& [key, object] : objects) {
    if (position >= skip && position - skip < count) {
      if (position > skip) body += ',';
      append_mail_object(body, object, configurations.of(object.id));
    }
    ++position;
  }
  body += ']';
}

Task<std::optional<std::string>> body_of_selected_page(Context&, const ReadResult& data, const MailObjectQuery& query) {
  const MailObjectsInOrder objects =
      co_await select(data.mail_objects, data.configurations, query.filter, query.sorting);
  std::string body = beginning_of_page(objects.size());
  append_range(body, objects, query.spec.skip, query.spec.count, data.configurations);
  body += '}';
  co_return body;
}

Task<std::optional<std::string>> body_of_all(Context&, const ReadResult& data, const MailObjectQuery& query) {
  const MailObjectsInOrder objects =
      co_await select(data.mail_objects, data.configurations, query.filter, query.sorting);
  std::string body = "[";
  append_range(body, objects, 0, objects.size(), data.configurations);
  co_return body;
}

Task<std::optional<std::string>> body_of_one(Context&, const ReadResult& data, const MailObjectQuery& query) {
  const auto object = co_await data.mail_objects.find(query.spec.id);
  if (!object) co_return std::nullopt;
  std::string body;
  append_mail_object(body, *object, data.configurations.of(object->id));
  co_return body;
}

}  // namespace

std::uint64_t mail_object_id(const Call& call) { return parse_mail_object_id(call.id).value_or(0); }

Task<Response> list_mail_objects(Context& context, const Call& call) {
  auto query = parse_query(call);
  if (!query) co_return validation_problem(call.language, query.error());
  const bool is_by_id = query->spec.mail_objects == ReadSpec::MailObjects::page;
  co_return co_await answer_mail_objects(context, call, std::move(*query),
                                         is_by_id ? body_of_page : body_of_selected_page);
}

Task<Response> list_all_mail_objects(Context& context, const Call& call) {
  constexpr auto type = static_cast<std::size_t>(std::ranges::find(sort_fields, "typeObjet") - sort_fields.begin());
  static_assert(type < sort_fields.size());
  MailObjectQuery query{.kind = CacheKeyKind::all_mail_objects,
                        .spec = {.mail_objects = ReadSpec::MailObjects::all},
                        .filter = {},
                        .sorting = {{type}}};
  return answer_mail_objects(context, call, std::move(query), body_of_all);
}

Task<Response> get_mail_object(Context& context, const Call& call) {
  MailObjectQuery query{.kind = CacheKeyKind::one_mail_object,
                        .spec = {.mail_objects = ReadSpec::MailObjects::one, .id = mail_object_id(call)},
                        .filter = {},
                        .sorting = {}};
  return answer_mail_objects(context, call, std::move(query), body_of_one);
}

Task<Response> get_template_file(Context& context, const Call& call) {
  auto session = co_await call.store.open(context);
  ReadResult data;
  co_await read(context, *session, {.mail_objects = ReadSpec::MailObjects::one, .id = mail_object_id(call)}, data);
  const auto object = co_await data.mail_objects.find(mail_object_id(call));
  if (!object) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  if (!object->template_file) co_return problem(404, call.language, Message::no_template_file, {call.id});
  const TemplateFile& file = *object->template_file;

  CacheKey parts(CacheKeyKind::template_file);
  parts.add(file.hash).add(file.media_type).add(file.file_name);
  Response response = answer_conditional(call, entity_tag(parts), file.media_type, Caching::revalidate);
  if (!needs_body(response)) co_return response;

  response.headers.push_back({"Content-Disposition", attachment_header(unquoted(file.file_name))});
  response.headers.push_back({"Content-Security-Policy", "sandbox"});
  if (count_template_parts(file.size) > 1) {
    session->release();
    response.streamed_length = file.size;
    response.body = std::make_unique<TemplateFileSource>(std::move(session), object->id, file.size, file.hash);
    co_return response;
  }
  auto bytes = co_await read_template_file(context, *session, object->id, file.size, file.hash);
  if (!bytes) co_await std::unexpected(Failure::unavailable);
  response.body = std::move(*bytes);
  co_return response;
}

Task<Response> reject_mail_object_change(Context&, const Call& call) {
  constexpr auto message = Message::mail_objects_are_synchronised;
  co_return problem(500, call.language, message, {}, name_of(message));
}

}  // namespace portail
