#include <span>
#include <string>
#include <utility>

#include "core/api/abp.hpp"
#include "core/api/answers.hpp"
#include "core/api/documents/documents.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"

namespace portail {

Task<Response> get_api_definition(Context&, const Call& call) {
  const auto with_types = boolean_parameter(call.target.query(), "includeTypes");
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
