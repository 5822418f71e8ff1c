#include "core/api/answers.hpp"

#include <utility>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/conditional.hpp"

namespace portail {
namespace {

// Room for what the service adds as well.
constexpr std::size_t usual_headers = 12;

void add_validators(Response& response, std::string tag, Caching caching) {
  response.headers.push_back({"ETag", std::move(tag)});
  response.headers.push_back({"Cache-Control", caching == Caching::never ? "no-store" : "private, no-cache"});
}

}  // namespace

std::string entity_tag(std::string_view what) {
  std::string tag = "\"";
  tag += lower_hex(blake2b(what));
  tag += '"';
  return tag;
}

Response answer_unless_matched(const Call& call, std::string tag, std::string_view content_type, Caching caching) {
  Response response;
  response.headers.reserve(usual_headers);
  if (if_none_match_names(call.request, tag)) {
    response.status = 304;
  } else {
    response.headers.push_back({"Content-Type", std::string(content_type)});
  }
  add_validators(response, std::move(tag), caching);
  return response;
}

Response answer_json(const Call& call, std::string body, Caching caching) {
  Response response = answer_unless_matched(call, entity_tag(body), json_content_type, caching);
  if (!is_not_modified(response)) response.body = std::move(body);
  return response;
}

Response answer_changed(std::string body, Caching caching) {
  Response response;
  response.headers.reserve(usual_headers);
  response.headers.push_back({"Content-Type", std::string(json_content_type)});
  add_validators(response, entity_tag(body), caching);
  response.body = std::move(body);
  return response;
}

}  // namespace portail
