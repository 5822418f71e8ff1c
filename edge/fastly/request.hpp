// The request of an instance: its head and its body.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/request.hpp"
#include "edge/fastly/body.hpp"
#include "edge/http/instance.hpp"

namespace portail::fastly {

// The head of a request, copied from the host.
class RequestHead {
 public:
  // Returns nullopt if the host has failed.
  static std::optional<RequestHead> read(Handle request);

  // Returns the request, with `body` if it may have one. The views are valid as long as this object.
  [[nodiscard]] Request with(ChunkSource& body);

 private:
  RequestHead() = default;

  std::string method_;
  std::string url_;     // absolute
  std::string fields_;  // names and values
  struct Field {
    std::size_t name, name_size, value, value_size;  // in fields_
  };
  std::vector<Field> entries_;
  std::vector<HeaderView> headers_;
};

// The body of a request, read on demand. A wait for the client blocks the instance, up to the request timeout.
class RequestBody final : public ChunkSource {
 public:
  explicit RequestBody(HostBody body) : body_(std::move(body)) {}

  Task<std::optional<std::string_view>> next(Context& context) override;

 private:
  HostBody body_;
  std::array<char, edge::body_chunk_size> chunk_;
  Timeout timeout_{edge::request_timeout_nanoseconds / 1000};
  bool ended_ = false;
};

}  // namespace portail::fastly
