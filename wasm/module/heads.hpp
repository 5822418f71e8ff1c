// The heads of requests and answers in the encoding of wasm/abi/portail.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "wasm/module/buffer.hpp"

namespace portail::wasm {

// A request's head, and the bytes that it is views of.
class RequestHead {
 public:
  // Nothing where the bytes are not a head.
  static std::optional<RequestHead> parse(Buffer bytes);

  // With `body` where the request may have one; both outlive what is returned, and so does this.
  [[nodiscard]] Request with(ChunkSource& body) const;

 private:
  explicit RequestHead(Buffer bytes) : bytes_(std::move(bytes)) {}

  Buffer bytes_;
  std::uint32_t flags_ = 0;
  std::string_view method_;
  std::string_view target_;
  std::vector<HeaderView> headers_;
};

// All headers of `response` go to the host.
std::string encode_answer_head(const Response& response);

}  // namespace portail::wasm
