// What of an answer goes to a host that frames it itself: which headers, whether a body, and its length. Pure
// functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/http/response.hpp"

namespace portail {

// Whether bytes follow the answer's head: not after HEAD, 204 and 304 (RFC 9110 sections 6.4.1 and 9.3.2).
bool has_body(const Response& response, std::string_view method);

// What hosts do not let a guest say, because they frame the answer themselves.
bool belongs_to_host(std::string_view header);

// The Content-Length that the answer tells; none where it has no body even for GET, or is made as it is sent.
std::optional<std::string> content_length(const Response& response);

// `append(name, value)` for each header that goes to the host.
template <class Append>
void for_each_header(const Response& response, const Append& append) {
  for (const HeaderField& field : response.headers) {
    if (!belongs_to_host(field.name)) append(field.name, std::string_view(field.value));
  }
  if (const auto length = content_length(response)) append("Content-Length", std::string_view(*length));
}

// For a request whose handler failed: 500 without a body.
Response failed_answer();

}  // namespace portail
