#include "core/api/mail_objects.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/mail_object_selection.hpp"
#include "core/api/representations.hpp"
#include "core/base/cache_key.hpp"
#include "core/base/text.hpp"
#include "core/http/content_disposition.hpp"
#include "core/http/problem.hpp"
#include "core/http/query.hpp"
#include "core/json/writer.hpp"
#include "core/portal/reading.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/template_file.hpp"

namespace portail {
namespace {

constexpr std::uint64_t largest_id = (std::uint64_t{1} << 53) - 1;
constexpr std::int32_t default_page = 10;
constexpr std::int32_t largest_page = 1000;

// What a client asked for.
struct Asked {
  KeyKind kind;
  Wanted wanted;
  std::string filter;
  std::vector<SortKey> sorting;
};

// A page of all mail objects by id takes only the stored parts that it is in; any other order, and a filter, take all.
std::expected<Asked, std::vector<ValidationError>> read_question(const Call& call) {
  Asked asked{.kind = KeyKind::mail_objects_page, .wanted = {}, .filter = {}, .sorting = {}};
  std::vector<ValidationError> errors;
  const std::string_view query = call.target.query();
  const auto read = [&](std::string_view name, std::string_view member, std::int32_t smallest, std::int32_t largest,
                        Message out_of_range, std::uint64_t& value) {
    const auto given = int32_parameter(query, name);
    if (!given || (*given && (**given < smallest || **given > largest))) {
      errors.push_back({out_of_range, member});
    } else if (*given) {
      value = static_cast<std::uint64_t>(**given);
    }
  };
  asked.wanted.count = default_page;
  read("SkipCount", "skipCount", 0, INT32_MAX, Message::skip_count_out_of_range, asked.wanted.skip);
  read("MaxResultCount", "maxResultCount", 1, largest_page, Message::max_result_count_out_of_range, asked.wanted.count);
  auto sorting = read_sorting(query_value(query, "Sorting").value_or(""));
  if (!sorting) {
    errors.push_back({Message::sorting_unknown, "sorting"});
  } else {
    asked.sorting = std::move(*sorting);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  asked.filter = query_value(query, "Filter").value_or("");
  if (trimmed(asked.filter).empty()) asked.filter.clear();
  asked.wanted.mail_objects =
      asked.filter.empty() && asked.sorting.empty() ? Wanted::MailObjects::page : Wanted::MailObjects::all;
  return asked;
}

// What an answer is remembered by.
CacheKey question_of(const Asked& asked) {
  CacheKey question(asked.kind);
  question.add(asked.wanted.skip).add(asked.wanted.count).add(asked.wanted.id).add(asked.sorting.size());
  for (const SortKey& key : asked.sorting) {
    question.add((static_cast<std::uint64_t>(key.field) << 1U) | (key.descending ? 1U : 0U));
  }
  question.add(asked.filter);
  return question;
}

// The body of what is asked for; nullopt: there is no such mail object.
using MakeBody = Task<std::optional<std::string>>(Context& context, const WhatWasRead& found, const Asked& asked);

// Makes the body where none is remembered that was made of the values which are stored now.
Task<Response> answer_mail_objects(Context& context, const Call& call, Asked asked, MakeBody* make_body) {
  const auto session = co_await call.store.open(context);
  Reading reading(asked.wanted);
  co_await reading.fetch(context, *session);
  const std::vector<Value> values = reading.values();
  CacheKey question = question_of(asked);
  if (const auto known = find_answer(context, question, values)) {
    co_return answer_json(call, *known, Caching::revalidate);
  }
  const WhatWasRead found = co_await reading.decode();
  auto body = co_await make_body(context, found, asked);
  if (!body) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  co_return answer_json(context, call, std::move(question), values, std::move(*body), Caching::revalidate);
}

std::string beginning_of_page(std::uint64_t total) {
  std::string body;
  body.reserve(4096);
  append_all(body, {"{\"totalCount\":", std::to_string(total), ",\"items\":["});
  return body;
}

Task<std::optional<std::string>> body_of_page(Context&, const WhatWasRead& found, const Asked& asked) {
  std::string body = beginning_of_page(found.summary.total);
  const std::size_t available = found.mail_objects.size();
  const auto begin = static_cast<std::size_t>(
      std::min<std::uint64_t>(asked.wanted.skip - std::min(found.first_position, asked.wanted.skip), available));
  const std::size_t end = std::min(begin + static_cast<std::size_t>(asked.wanted.count), available);
  for (std::size_t i = begin; i < end; ++i) {
    const MailObject object = co_await found.mail_objects.at(i);
    if (i > begin) body += ',';
    append_mail_object(body, object, found.configurations.of(object.id));
  }
  body += "]}";
  co_return body;
}

// The objects from `skip`, at most `count` of them, and the end of the array.
void append_some(std::string& body, const MailObjectsInOrder& objects, std::uint64_t skip, std::uint64_t count,
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

Task<std::optional<std::string>> body_of_selected_page(Context&, const WhatWasRead& found, const Asked& asked) {
  const MailObjectsInOrder objects =
      co_await select(found.mail_objects, found.configurations, asked.filter, asked.sorting);
  std::string body = beginning_of_page(objects.size());
  append_some(body, objects, asked.wanted.skip, asked.wanted.count, found.configurations);
  body += '}';
  co_return body;
}

Task<std::optional<std::string>> body_of_all(Context&, const WhatWasRead& found, const Asked& asked) {
  const MailObjectsInOrder objects =
      co_await select(found.mail_objects, found.configurations, asked.filter, asked.sorting);
  std::string body = "[";
  append_some(body, objects, 0, objects.size(), found.configurations);
  co_return body;
}

Task<std::optional<std::string>> body_of_one(Context&, const WhatWasRead& found, const Asked& asked) {
  const auto object = co_await found.mail_objects.find(asked.wanted.id);
  if (!object) co_return std::nullopt;
  std::string body;
  append_mail_object(body, *object, found.configurations.of(object->id));
  co_return body;
}

}  // namespace

bool is_mail_object_id(std::string_view segment) {
  if (segment.starts_with('0') && segment != "0") return false;
  const auto id = parse_count(segment);
  return id && *id <= largest_id;
}

std::uint64_t mail_object_id(const Call& call) { return parse_count(call.id).value_or(0); }

Task<Response> list_mail_objects(Context& context, const Call& call) {
  auto asked = read_question(call);
  if (!asked) co_return validation_problem(call.language, asked.error());
  const bool is_plain = asked->wanted.mail_objects == Wanted::MailObjects::page;
  co_return co_await answer_mail_objects(context, call, std::move(*asked),
                                         is_plain ? body_of_page : body_of_selected_page);
}

Task<Response> list_all_mail_objects(Context& context, const Call& call) {
  Asked asked{.kind = KeyKind::all_mail_objects,
              .wanted = {.mail_objects = Wanted::MailObjects::all},
              .filter = {},
              .sorting = {{MailObjectField::type}}};
  return answer_mail_objects(context, call, std::move(asked), body_of_all);
}

Task<Response> get_mail_object(Context& context, const Call& call) {
  Asked asked{.kind = KeyKind::one_mail_object,
              .wanted = {.mail_objects = Wanted::MailObjects::one, .id = mail_object_id(call)},
              .filter = {},
              .sorting = {}};
  return answer_mail_objects(context, call, std::move(asked), body_of_one);
}

Task<Response> get_template_file(Context& context, const Call& call) {
  auto session = co_await call.store.open(context);
  const WhatWasRead found =
      co_await read(context, *session, {.mail_objects = Wanted::MailObjects::one, .id = mail_object_id(call)});
  const auto object = co_await found.mail_objects.find(mail_object_id(call));
  if (!object) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  if (!object->template_file) co_return problem(404, call.language, Message::no_template_file, {call.id});
  const TemplateFile& file = *object->template_file;

  CacheKey parts(KeyKind::template_file);
  parts.add(file.hash).add(file.media_type).add(file.file_name);
  Response response = answer_unless_matched(call, entity_tag(parts), file.media_type, Caching::revalidate);
  if (is_not_modified(response)) co_return response;

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

Task<Response> refuse_to_change_mail_objects(Context&, const Call& call) {
  co_return problem(500, call.language, Message::mail_objects_are_synchronised, {},
                    "PortailClients:ObjetsCourrierNonModifiables");
}

}  // namespace portail
