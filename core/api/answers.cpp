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

std::string entity_tag(std::string_view body) {
  std::string tag;
  tag.reserve(2 * sizeof(Hash16) + 2);
  tag += '"';
  append_lower_hex(tag, blake2b(body));
  tag += '"';
  return tag;
}

std::string entity_tag(const CacheKey& parts) { return entity_tag(parts.bytes()); }

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

std::shared_ptr<const RememberedAnswer> find_answer(Context& context, const CacheKey& question,
                                                    std::span<const Value> values) {
  if (!context.answers) return nullptr;
  auto found = context.answers->find(question);
  if (found && !found->made_of->equal(values)) found = nullptr;
  return found;
}

Response answer_json(const Call& call, const RememberedAnswer& answer, Caching caching) {
  Response response = answer_unless_matched(call, answer.tag, json_content_type, caching);
  if (!is_not_modified(response)) response.body = answer.body;
  return response;
}

Response answer_json(Context& context, const Call& call, CacheKey question, std::span<const Value> values,
                     std::string body, Caching caching) {
  if (!context.answers) return answer_json(call, std::move(body), caching);
  std::string tag = entity_tag(body);
  RememberedAnswer answer{.question = std::move(question),
                          .made_of = std::make_shared<const StoredCopies>(values),
                          .body = std::move(body),
                          .tag = std::move(tag)};
  Response response = answer_json(call, answer, caching);
  context.answers->keep(std::move(answer));
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
