#include <string>
#include <string_view>
#include <utility>

#include "core/api/answers.hpp"
#include "core/api/documents/documents.hpp"
#include "core/api/endpoints.hpp"
#include "core/api/parameters.hpp"
#include "core/http/target.hpp"

namespace portail {

Task<Response> get_open_api_document(Context&, const Call& call) {
  co_return answer_json(call, open_api_document.text(), Caching::revalidate);
}

Task<Response> get_open_api_page(Context&, const Call& call) {
  const std::string_view path = call.target.path();
  if (call.target.segments().size() < 2) {
    Response redirect;
    redirect.status = 302;
    // A relative address stays below the base path of a proxy.
    redirect.headers.push_back(
        {"Location", path.size() > 1 && path.ends_with('/') ? "index.html" : "swagger/index.html"});
    co_return redirect;
  }
  std::string page = open_api_page.text();
  Response response = answer_conditional(call, entity_tag(page), "text/html; charset=utf-8", Caching::revalidate);
  if (!needs_body(response)) co_return response;
  response.headers.push_back({"Content-Security-Policy", std::string(open_api_page_policy)});
  response.body = std::move(page);
  co_return response;
}

Task<Response> get_api_definition(Context&, const Call& call) {
  auto with_types = read_boolean(call, parameters::include_types);
  if (!with_types) co_return std::move(with_types).error();
  std::string body = R"({"modules":)";
  body += abp_modules.text();
  body += R"(,"types":)";
  body += *with_types ? abp_types.text() : "{}";
  body += '}';
  co_return answer_json(call, std::move(body), Caching::never);
}

}  // namespace portail
