#include "core/http/server_options.hpp"

#include <string>

#include "core/http/target.hpp"

namespace portail {

bool asks_server_options(const Request& request) {
  if (request.method != "OPTIONS") return false;
  if (request.target == "*") return true;
  const auto absolute = split_absolute_form(request.target);
  return absolute && absolute->rest.empty();
}

Response server_options(std::string_view allow) {
  Response response;
  response.status = 204;
  response.headers.push_back({"Allow", std::string(allow)});
  return response;
}

}  // namespace portail
