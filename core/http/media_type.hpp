// What a request says its body is (RFC 9110 sections 8.3 and 8.4). Any thread.
#pragma once

#include "core/http/request.hpp"

namespace portail {

// Whether the one Content-Type is JSON in UTF-8: application/json, text/json or application/*+json, and no charset but
// utf-8. Otherwise, also where it is absent, repeated or malformed, the answer is 415 (docs/reference/contract.md,
// "Requests: PUT body").
bool has_json_content_type(const Request& request);

// Whether the body is compressed or otherwise coded: a Content-Encoding that names anything but identity. The answer is
// 415 too (RFC 9110 section 8.4): a few bytes may not become many.
bool is_content_coded(const Request& request);

}  // namespace portail
