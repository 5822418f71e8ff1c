// A request builder: get("/api/app/liasse").bearer(token).send(). Reuses one connection to each host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/contract/support/connection.hpp"

namespace portail::contract {

class Request {
 public:
  Request(std::string_view method, std::string_view target);

  Request& bearer(std::string_view token) { return header("Authorization", "Bearer " + std::string(token)); }
  Request& header(std::string_view name, std::string_view value);
  Request& without(std::string_view name);  // leaves out Host, Content-Length or Content-Type
  Request& body(std::string_view bytes, std::string_view content_type = "application/json");
  Request& chunked(std::string_view bytes, std::string_view content_type = "application/json");

  // The bytes on the wire.
  std::string bytes(const BaseUrl& url) const;
  // Sends on the open connection to that host, or on a new one.
  Reply send(const BaseUrl& url = environment().base) const;

 private:
  bool has(std::string_view name) const;

  std::string method_;
  std::string target_;
  std::vector<Header> headers_;
  std::vector<std::string> left_out_;
  std::string body_;
  bool has_body_ = false;
  bool chunked_ = false;
};

Request get(std::string_view target);
Request head(std::string_view target);
Request put(std::string_view target, std::string_view json);

}  // namespace portail::contract
