#include "core/api/answers.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/conditional.hpp"
#include "core/http/header_fields.hpp"

namespace portail {
namespace {

// Includes the headers that the service adds.
constexpr std::size_t typical_header_count = 12;

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

Response answer_conditional(const Call& call, std::string tag, std::string_view content_type, Caching caching) {
  const FailedCondition failed = failed_condition(call.request, tag);
  const bool is_not_modified = failed == FailedCondition::if_none_match;
  if (failed != FailedCondition::none && !is_not_modified) return precondition_problem(call.language, failed);
  Response response;
  response.headers.reserve(typical_header_count);
  if (is_not_modified) {
    response.status = 304;
  } else {
    response.headers.push_back({"Content-Type", std::string(content_type)});
  }
  add_validators(response, std::move(tag), caching);
  return response;
}

Response answer_json(const Call& call, std::string body, Caching caching) {
  Response response = answer_conditional(call, entity_tag(body), json_content_type, caching);
  if (needs_body(response)) response.body = std::move(body);
  return response;
}

std::shared_ptr<const CachedAnswer> find_answer(Context& context, const CacheKey& key,
                                                const std::optional<StoreRevision>& revision,
                                                std::span<const Value> values) {
  if (!context.answer_cache) return nullptr;
  auto found = context.answer_cache->find(key);
  if (found && (found->revision != revision || !found->sources->equal(values))) found = nullptr;
  context.answer_cache->count_use(found != nullptr);
  return found;
}

Response answer_json(const Call& call, const CachedAnswer& answer, Caching caching) {
  Response response = answer_conditional(call, answer.tag, json_content_type, caching);
  if (needs_body(response)) response.body = answer.body;
  return response;
}

Response answer_json(Context& context, const Call& call, CacheKey key, const std::optional<StoreRevision>& revision,
                     std::span<const Value> values, std::string body, Caching caching) {
  if (!context.answer_cache) return answer_json(call, std::move(body), caching);
  std::string tag = entity_tag(body);
  CachedAnswer answer{.key = std::move(key),
                      .revision = revision,
                      .sources = std::make_shared<const StoredValues>(values),
                      .body = std::move(body),
                      .tag = std::move(tag)};
  Response response = answer_json(call, answer, caching);
  context.answer_cache->put(std::move(answer));
  return response;
}

Response answer_update(std::string body, Caching caching) {
  Response response;
  response.headers.reserve(typical_header_count);
  response.headers.push_back({"Content-Type", std::string(json_content_type)});
  add_validators(response, entity_tag(body), caching);
  response.body = std::move(body);
  return response;
}

}  // namespace portail
