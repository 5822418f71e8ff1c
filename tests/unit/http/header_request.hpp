// A request of a method and headers only, for tests of headers.
#pragma once

#include <initializer_list>
#include <vector>

#include "core/http/request.hpp"

namespace portail {

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

}  // namespace portail
