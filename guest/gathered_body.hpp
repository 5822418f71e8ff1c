// The bytes of an answer in pieces worth a call of the host: small chunks are gathered, and a whole body is one piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/task.hpp"
#include "core/http/response.hpp"

namespace portail {

class GatheredBody {
 public:
  // `body` outlives this.
  explicit GatheredBody(const Body& body) : body_(body) {}

  // The next piece, never empty, valid until the next call; nullopt at the end. Fails where its source does.
  Task<std::optional<std::string_view>> next(Context& context);

 private:
  const Body& body_;
  std::string gathered_;
  bool ended_ = false;
};

}  // namespace portail
