// The head of a request, copied from the host once and shown to the core as views. Move is not needed: it stays where
// it is read.
#pragma once

#include <string_view>
#include <vector>

#include "core/http/request.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

class RequestHead {
 public:
  explicit RequestHead(const IncomingRequest& request);
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;
  ~RequestHead();

  [[nodiscard]] std::string_view method() const;
  // As the core sees it, with `body` where the request may have one. The views live as long as this.
  [[nodiscard]] Request with(ChunkSource& body) const;

 private:
  wasi_http_method_t method_{};
  http3_string_t target_{};
  bool is_https_ = false;
  wasi_http_list_tuple2_field_name_field_value_t fields_{};
  std::vector<HeaderView> headers_;
};

}  // namespace portail::edge
