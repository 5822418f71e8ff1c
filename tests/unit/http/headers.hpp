// Requests and answers for tests of headers.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// A request of a method and headers only.
class HeaderRequest {
 public:
  HeaderRequest(std::initializer_list<HeaderView> headers) : HeaderRequest("GET", headers) {}
  HeaderRequest(std::string_view method, std::initializer_list<HeaderView> headers) : headers_(headers) {
    request_.method = method;
    request_.target = "/";
    request_.headers = headers_;
  }
  HeaderRequest(const HeaderRequest&) = delete;
  HeaderRequest& operator=(const HeaderRequest&) = delete;
  operator const Request&() const { return request_; }

 private:
  std::vector<HeaderView> headers_;
  Request request_;
};

// Returns the header of exactly that name; nullopt if there is none, or more than one.
inline std::optional<std::string_view> only_header(const Response& response, std::string_view name) {
  std::optional<std::string_view> found;
  for (const HeaderField& header : response.headers) {
    if (header.name != name) continue;
    if (found) return std::nullopt;
    found = header.value;
  }
  return found;
}

inline std::string_view body_text(const Response& response) { return std::get<std::string>(response.body); }

}  // namespace portail
