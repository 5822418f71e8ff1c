// Content-Type, and Content-Encoding of a request (RFC 9110 sections 8.3 and 8.4). Any thread.
#pragma once

#include <string_view>

#include "core/http/request.hpp"

namespace portail {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";  // of answers

// Returns whether Content-Type is JSON in UTF-8: application/json, text/json or application/*+json, with no other
// charset than utf-8 or utf8. Otherwise, also if it is absent, repeated or malformed, the answer is 415
// (docs/reference/contract.md, "Requests: PUT body").
bool has_json_content_type(const Request& request);

// Returns whether Content-Encoding names another coding than identity, such as gzip. The answer is 415 too (RFC 9110
// section 8.4), against decompression bombs.
bool is_content_coded(const Request& request);

}  // namespace portail
