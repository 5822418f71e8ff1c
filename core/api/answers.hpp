// Successful answers and their validators (docs/reference/contract.md, "Answers: content type", "Answers: validators",
// "Answers: caching"). Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/api/answer_memory.hpp"
#include "core/api/endpoint.hpp"
#include "core/base/cache_key.hpp"
#include "core/http/chunk_source.hpp"

namespace portail {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";

enum class Caching : std::uint8_t {
  revalidate,  // private, no-cache: mail objects and their templates
  never,       // no-store: bundles, the application configuration
};

// A strong entity tag, quotes included: of an answer's bytes, or of the parts that it is made from.
std::string entity_tag(std::string_view body);
std::string entity_tag(const CacheKey& parts);

// 200 with the body, or 304 where If-None-Match names its tag.
Response answer_json(const Call& call, std::string body, Caching caching);

// What the context remembers for `question`, where it was made of these very values; null otherwise.
std::shared_ptr<const RememberedAnswer> find_answer(Context& context, const CacheKey& question,
                                                    std::span<const Value> values);
// As answer_json, of what is remembered.
Response answer_json(const Call& call, const RememberedAnswer& answer, Caching caching);
// The same for a new body, which the context remembers from now on where it remembers answers.
Response answer_json(Context& context, const Call& call, CacheKey question, std::span<const Value> values,
                     std::string body, Caching caching);

// A bodiless 304 where If-None-Match names `tag`, else a 200 without a body yet; both with the tag.
Response answer_unless_matched(const Call& call, std::string tag, std::string_view content_type, Caching caching);

// 200 to a change: the body and its tag, whatever the request's conditions were.
Response answer_changed(std::string body, Caching caching);

inline bool is_not_modified(const Response& response) { return response.status == 304; }

}  // namespace portail
