#include <string>
#include <utility>

#include "core/api/abp.hpp"
#include "core/api/answers.hpp"
#include "core/api/documents/documents.hpp"
#include "core/base/text.hpp"
#include "core/http/query.hpp"

namespace portail {

Task<Response> get_api_definition(Context&, const Call& call) {
  const auto types = query_value(call.target.query(), "includeTypes");
  std::string body = R"({"modules":)";
  body += abp_modules.text();
  body += R"(,"types":)";
  body += types && equals_ignoring_case(*types, "true") ? abp_types.text() : "{}";
  body += '}';
  co_return answer_json(call, std::move(body), Caching::never);
}

}  // namespace portail
