// Successful answers and their validators (docs/reference/contract.md, "Answers: content type", "Answers: validators",
// "Answers: caching"). Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/api/answer_cache.hpp"
#include "core/api/endpoint.hpp"
#include "core/base/cache_key.hpp"
#include "core/http/response.hpp"

namespace portail {

enum class Caching : std::uint8_t {
  revalidate,  // private, no-cache: mail objects and their templates
  never,       // no-store: bundles, the application configuration
};

// Returns a strong entity tag, quotes included: of an answer's bytes, or of the parts that it is built from.
std::string entity_tag(std::string_view body);
std::string entity_tag(const CacheKey& parts);

// Answers 200 with the body, or 304 or 412 by the conditions of the request.
Response answer_json(const Call& call, std::string body, Caching caching);

// Returns the context's cached answer for `key` if it is valid for this revision and these values (CachedAnswer); null
// otherwise.
std::shared_ptr<const CachedAnswer> find_answer(Context& context, const CacheKey& key,
                                                const std::optional<StoreRevision>& revision,
                                                std::span<const Value> values);
// As answer_json, for a cached answer.
Response answer_json(const Call& call, const CachedAnswer& answer, Caching caching);
// As answer_json, for a new body, which the context caches if it has a cache. `revision` and `values` are those of
// CachedAnswer.
Response answer_json(Context& context, const Call& call, CacheKey key, const std::optional<StoreRevision>& revision,
                     std::span<const Value> values, std::string body, Caching caching);

// Answers 412 or 304 by the conditions of the request (failed_condition), else 200 with an empty body to be set.
Response answer_conditional(const Call& call, std::string tag, std::string_view content_type, Caching caching);

// Answers 200 to a change, with the body and its tag. Conditions of the request are ignored.
Response answer_update(std::string body, Caching caching);

// Returns whether answer_conditional() answered 200.
inline bool needs_body(const Response& response) { return response.status == 200; }

}  // namespace portail
