// Where the key set of a service comes from: it may be another one tomorrow. A port; hosts that can fetch keys
// implement it (native/keys/), the others use FixedKeys. Called from any thread, and outlives the services that refer
// to it.
#pragma once

#include <memory>
#include <utility>

#include "core/auth/key_set.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

// An immutable key set. As long as the keys stay the same it stays the same object: what was verified with one object
// is verified again with another (token_cache.hpp).
using SharedKeySet = std::shared_ptr<const KeySet>;

// True where `keys` can verify nothing.
inline bool has_no_key(const SharedKeySet& keys) { return !keys || keys->empty(); }

class KeySource {
 public:
  virtual ~KeySource() = default;

  // The set of this moment; null where there is none that may be used. Never waits.
  [[nodiscard]] virtual SharedKeySet current() = 0;

  // For a token that names a key which `seen` lacks: what is current once the source was asked again, at most 2 s from
  // now and not after the context's deadline. One refresh serves all who wait; a source that was asked a moment ago, or
  // cannot be, gives what it has at once. May suspend, and holds no thread then; fails only where the request is given
  // up. `seen` outlives the Task.
  [[nodiscard]] virtual Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& seen) = 0;
};

// One set for ever, or none.
class FixedKeys final : public KeySource {
 public:
  FixedKeys() = default;
  explicit FixedKeys(KeySet keys) : keys_(std::make_shared<const KeySet>(std::move(keys))) {}

  [[nodiscard]] SharedKeySet current() override { return keys_; }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context&, const SharedKeySet&) override { co_return keys_; }

 private:
  SharedKeySet keys_;
};

}  // namespace portail
