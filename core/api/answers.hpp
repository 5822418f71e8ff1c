// Successful answers and their validators (docs/contract.md, "Answers: content type", "Answers: validators", "Answers:
// caching"). Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/api/endpoint.hpp"
#include "core/http/chunk_source.hpp"

namespace portail {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";

enum class Caching : std::uint8_t {
  revalidate,  // private, no-cache: mail objects and their templates
  never,       // no-store: bundles, the application configuration
};

// A strong entity tag, quotes included, that changes whenever `what` does: the answer's bytes or its revisions.
std::string entity_tag(std::string_view what);

// 200 with the body, or 304 where If-None-Match names its tag.
Response answer_json(const Call& call, std::string body, Caching caching);

// A bodiless 304 where If-None-Match names `tag`, else a 200 without a body yet; both with the tag.
Response answer_unless_matched(const Call& call, std::string tag, std::string_view content_type, Caching caching);

// 200 to a change: the body and its tag, whatever the request's conditions were.
Response answer_changed(std::string body, Caching caching);

inline bool is_not_modified(const Response& response) { return response.status == 304; }

}  // namespace portail
