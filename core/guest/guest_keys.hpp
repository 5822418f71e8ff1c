// A key source of a portal in a WebAssembly host, which has no thread of its own: it works when requests come. One
// thread; other requests run while one waits.
#pragma once

#include "core/auth/key_source.hpp"

namespace portail {

class GuestKeys : public KeySource {
 public:
  // Must be called before each request. `has_token`: the request needs keys.
  virtual Task<void> prepare(Context& context, bool has_token) = 0;
  // Must be called after each answer was sent. Work that no answer needed is done now.
  virtual void after_answer(Context& context) = 0;
};

}  // namespace portail
