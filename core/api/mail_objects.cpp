#include "core/api/mail_objects.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/answers.hpp"
#include "core/api/representations.hpp"
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

struct Page {
  std::int32_t skip = 0;
  std::int32_t count = default_page;
};

std::expected<Page, std::vector<ValidationError>> read_page(const Call& call) {
  Page page;
  std::vector<ValidationError> errors;
  const auto read = [&](std::string_view name, std::string_view member, std::int32_t smallest, std::int32_t largest,
                        Message out_of_range, std::int32_t& value) {
    const auto given = int32_parameter(call.target.query(), name);
    if (!given || (*given && (**given < smallest || **given > largest))) {
      errors.push_back({out_of_range, member});
    } else if (*given) {
      value = **given;
    }
  };
  read("SkipCount", "skipCount", 0, INT32_MAX, Message::skip_count_out_of_range, page.skip);
  read("MaxResultCount", "maxResultCount", 1, largest_page, Message::max_result_count_out_of_range, page.count);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return page;
}

// What an answer is remembered by.
std::string question_of(const Wanted& wanted) {
  std::string question = "mail objects";
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(wanted.mail_objects), wanted.skip, wanted.count, wanted.id}) {
    question += ' ';
    question += std::to_string(part);
  }
  return question;
}

// The body of what is wanted; nullopt: there is no such mail object.
using MakeBody = Task<std::optional<std::string>>(Context& context, const WhatWasRead& found, const Wanted& wanted);

// Makes the body where none is remembered that was made of the values which are stored now.
Task<Response> answer_mail_objects(Context& context, const Call& call, Wanted wanted, MakeBody* make_body) {
  const auto session = co_await call.store.open(context);
  Reading reading(wanted);
  co_await reading.fetch(context, *session);
  const std::vector<Value> values = reading.values();
  std::string question = question_of(wanted);
  if (const auto known = find_answer(context, question, values)) {
    co_return answer_json(call, *known, Caching::revalidate);
  }
  const WhatWasRead found = co_await reading.decode();
  auto body = co_await make_body(context, found, wanted);
  if (!body) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  co_return answer_json(context, call, std::move(question), values, std::move(*body), Caching::revalidate);
}

Task<std::optional<std::string>> body_of_page(Context&, const WhatWasRead& found, const Wanted& wanted) {
  std::string body;
  body.reserve(4096);
  body += "{\"totalCount\":";
  body += std::to_string(found.summary.total);
  body += ",\"items\":[";
  const std::size_t available = found.mail_objects.size();
  const auto begin = static_cast<std::size_t>(
      std::min<std::uint64_t>(wanted.skip - std::min(found.first_position, wanted.skip), available));
  const std::size_t end = std::min(begin + static_cast<std::size_t>(wanted.count), available);
  for (std::size_t i = begin; i < end; ++i) {
    const MailObject object = co_await found.mail_objects.at(i);
    if (i > begin) body += ',';
    append_mail_object(body, object, found.configurations.of(object.id));
  }
  body += "]}";
  co_return body;
}

Task<std::optional<std::string>> body_of_all(Context&, const WhatWasRead& found, const Wanted&) {
  struct Entry {
    std::string type;  // unescaped: the order is that of the text's bytes
    MailObject object;
  };
  std::vector<Entry> entries;
  entries.reserve(found.mail_objects.size());
  for (std::size_t i = 0; i < found.mail_objects.size(); ++i) {
    const MailObject object = co_await found.mail_objects.at(i);
    entries.push_back({unquoted(object.type), object});
  }
  std::ranges::stable_sort(entries, {}, &Entry::type);
  std::string body = "[";
  for (const Entry& entry : entries) {
    if (body.size() > 1) body += ',';
    append_mail_object(body, entry.object, found.configurations.of(entry.object.id));
  }
  body += ']';
  co_return body;
}

Task<std::optional<std::string>> body_of_one(Context&, const WhatWasRead& found, const Wanted& wanted) {
  const auto object = co_await found.mail_objects.find(wanted.id);
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
  const auto page = read_page(call);
  if (!page) co_return validation_problem(call.language, page.error());
  const Wanted wanted{.mail_objects = Wanted::MailObjects::page,
                      .skip = static_cast<std::uint64_t>(page->skip),
                      .count = static_cast<std::uint64_t>(page->count)};
  co_return co_await answer_mail_objects(context, call, wanted, body_of_page);
}

Task<Response> list_all_mail_objects(Context& context, const Call& call) {
  return answer_mail_objects(context, call, {.mail_objects = Wanted::MailObjects::all}, body_of_all);
}

Task<Response> get_mail_object(Context& context, const Call& call) {
  const Wanted wanted{.mail_objects = Wanted::MailObjects::one, .id = mail_object_id(call)};
  return answer_mail_objects(context, call, wanted, body_of_one);
}

Task<Response> get_template_file(Context& context, const Call& call) {
  auto session = co_await call.store.open(context);
  const WhatWasRead found =
      co_await read(context, *session, {.mail_objects = Wanted::MailObjects::one, .id = mail_object_id(call)});
  const auto object = co_await found.mail_objects.find(mail_object_id(call));
  if (!object) co_return problem(404, call.language, Message::no_such_entity, {"ObjetCourrier", call.id});
  if (!object->template_file) co_return problem(404, call.language, Message::no_template_file, {call.id});
  const TemplateFile& file = *object->template_file;

  std::string described(file.hash);
  described += file.media_type;
  described += file.file_name;
  Response response = answer_unless_matched(call, entity_tag(described), file.media_type, Caching::revalidate);
  if (is_not_modified(response)) co_return response;

  response.headers.push_back({"Content-Disposition", attachment_header(unquoted(file.file_name))});
  response.headers.push_back({"Content-Security-Policy", "sandbox"});
  if (count_template_parts(file.size) > 1) {
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
