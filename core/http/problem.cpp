#include "core/http/problem.hpp"

#include <utility>

#include "core/http/header_fields.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

Response with_body(int status, Language language, std::string body) {
  Response response;
  response.status = status;
  response.headers = {{"Content-Type", std::string(json_content_type)},
                      {"Content-Language", std::string(language_tag(language))},
                      {"Cache-Control", "no-store"}};
  // With this header on 401 or 403, ABP's Angular client shows a dialog instead of the login or error page.
  if (status != 401 && status != 403) response.headers.push_back({"_AbpErrorFormat", "true"});
  response.body = std::move(body);
  return response;
}

void append_validation_errors(JsonWriter& json, Language language, std::span<const ValidationError> errors) {
  json.begin_array();
  for (const ValidationError& error : errors) {
    json.begin_object().name("message").string(message_text(error.message, language, {error.member}));
    json.name("members").begin_array();
    if (!error.member.empty()) json.string(error.member);
    json.end_array().end_object();
  }
  json.end_array();
}

// Returns ABP's form of the errors: a title, then one line each.
std::string details(Language language, std::span<const ValidationError> errors) {
  std::string text = message_text(Message::validation_title, language) + "\n";
  for (const ValidationError& error : errors) {
    text += " - " + message_text(error.message, language, {error.member}) + "\n";
  }
  return text;
}

}  // namespace

Response problem(int status, Language language, Message message, std::initializer_list<std::string_view> values,
                 std::string_view code) {
  return with_body(status, language, error_body(message_text(message, language, values), code));
}

std::string error_body(std::string_view message, std::string_view code, std::string_view data) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("error").begin_object().name("code");
  code.empty() ? json.null() : json.string(code);
  json.name("message").string(message).name("details").null().name("data").raw(data);
  json.name("validationErrors").null().end_object().end_object();
  return body;
}

Response permission_problem(Language language, Message message, std::string_view permission) {
  std::string data;
  JsonWriter(data).begin_object().name("PolicyName").string(permission).end_object();
  return with_body(403, language, error_body(message_text(message, language), {}, data));
}

Response validation_problem(Language language, std::span<const ValidationError> errors) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("error").begin_object().name("code").null();
  json.name("message").string(message_text(Message::invalid_request, language));
  json.name("details").string(details(language, errors)).name("data").begin_object().end_object();
  json.name("validationErrors");
  append_validation_errors(json, language, errors);
  json.end_object().end_object();
  return with_body(400, language, std::move(body));
}

Response unauthorized_problem(Language language, std::optional<std::string_view> token_fault) {
  Response response = problem(401, language, Message::unauthorized);
  std::string challenge = "Bearer";
  if (token_fault) {
    challenge += " error=\"invalid_token\", error_description=\"";
    for (const char c : *token_fault) {  // RFC 6750 section 3: visible ASCII and space, but neither quote nor backslash
      challenge += c < ' ' || c >= '\x7f' || c == '"' || c == '\\' ? '_' : c;
    }
    challenge += '"';
  }
  response.headers.push_back({"WWW-Authenticate", std::move(challenge)});
  return response;
}

Response method_not_allowed_problem(Language language, std::string_view allow) {
  Response response = problem(405, language, Message::method_not_allowed);
  response.headers.push_back({"Allow", std::string(allow)});
  return response;
}

Response failure_problem(Context& context, Failure failure, Language language) {
  if (failure == Failure::unavailable || failure == Failure::cancelled) return unavailable_problem(language);
  if (failure == Failure::body_incomplete) return framing_problem(400, language, Message::body_incomplete);
  if (failure == Failure::body_late) return framing_problem(408, language, Message::body_late);
  context.log.warn("request failed", describe(failure));
  return problem(500, language, Message::internal_error);
}

Response too_many_requests_problem(Language language, const ExceededLimit& limit) {
  const auto number = [](std::int64_t value) {
    std::string text;
    append_json_integer(text, value);
    return text;
  };
  const std::string name = '"' + std::string(limit.policy) + '"';
  const std::string seconds = number(limit.retry_after_seconds);
  Response response = problem(429, language, Message::too_many_requests);
  response.headers.push_back({"Retry-After", seconds});
  response.headers.push_back(
      {"RateLimit-Policy", name + ";q=" + number(limit.quota) + ";w=" + number(limit.window_seconds)});
  response.headers.push_back({"RateLimit", name + ";r=0;t=" + seconds});
  return response;
}

Response unavailable_problem(Language language, int retry_after_seconds) {
  Response response = problem(503, language, Message::service_unavailable);
  std::string seconds;
  append_json_integer(seconds, retry_after_seconds);
  response.headers.push_back({"Retry-After", std::move(seconds)});
  return response;
}

Response framing_problem(int status, Language language, Message message) {
  Response response = problem(status, language, message);
  response.close = true;
  return response;
}

}  // namespace portail
