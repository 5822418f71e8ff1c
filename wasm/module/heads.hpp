// The heads of requests and answers in the encoding of wasm/abi/portail.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "wasm/module/buffer.hpp"

namespace portail::wasm {

// A request's head. Owns the bytes that its views refer to.
class RequestHead {
 public:
  // Returns nullopt if `bytes` are malformed.
  static std::optional<RequestHead> parse(Buffer bytes);

  // Returns the request, with `body` if it may have one. `body` and this object must outlive it.
  [[nodiscard]] Request with(ChunkSource& body) const;

 private:
  explicit RequestHead(Buffer bytes) : bytes_(std::move(bytes)) {}

  Buffer bytes_;
  std::uint32_t flags_ = 0;
  std::string_view method_;
  std::string_view target_;
  std::vector<HeaderView> headers_;
};

// Encodes the status and all headers of `response`.
std::string encode_answer_head(const Response& response);

}  // namespace portail::wasm
