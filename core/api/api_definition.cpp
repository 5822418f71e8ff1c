#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/api/abp.hpp"
#include "core/api/answers.hpp"
#include "core/api/documents/documents.hpp"
#include "core/base/text.hpp"
#include "core/http/problem.hpp"
#include "core/http/query.hpp"

namespace portail {

namespace {

// Without the parameter, and with an empty one, none; nullopt where it is no boolean.
std::optional<bool> wants_types(const Call& call) {
  const auto given = query_value(call.target.query(), "includeTypes");
  const std::string_view value = given ? trimmed(*given, " \t\n\v\f\r") : "";
  if (equals_ignoring_case(value, "true")) return true;
  if (value.empty() || equals_ignoring_case(value, "false")) return false;
  return std::nullopt;
}

}  // namespace

Task<Response> get_api_definition(Context&, const Call& call) {
  const auto with_types = wants_types(call);
  if (!with_types) {
    constexpr ValidationError not_boolean{Message::field_not_boolean, "includeTypes"};
    co_return validation_problem(call.language, std::span(&not_boolean, 1));
  }
  std::string body = R"({"modules":)";
  body += abp_modules.text();
  body += R"(,"types":)";
  body += *with_types ? abp_types.text() : "{}";
  body += '}';
  co_return answer_json(call, std::move(body), Caching::never);
}

}  // namespace portail
