// The source of a service's key set, which may change over time. An interface; hosts that fetch keys implement it
// (native/keys/), the others use FixedKeys. Called from any thread; must outlive the services that refer to it.
#pragma once

#include <memory>
#include <utility>

#include "core/auth/key_set.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

// An immutable key set. While the keys are unchanged, a source must return the same object: a token in the cache is
// valid for the object that verified it (token_cache.hpp).
using SharedKeySet = std::shared_ptr<const KeySet>;

// Returns whether `keys` has no usable key.
inline bool has_no_key(const SharedKeySet& keys) { return !keys || keys->empty(); }

class KeySource {
 public:
  virtual ~KeySource() = default;

  // Returns the current set; null if no set is usable. Never waits.
  [[nodiscard]] virtual SharedKeySet current() = 0;

  // For a token that names a key which `previous` lacks: returns the set after a refresh, at most 2 s from now and not
  // after the context's deadline. All waiting requests share one refresh. A source that was refreshed recently, or
  // cannot be, returns its current set immediately. May suspend, without occupying a thread; fails only if the request
  // is cancelled. `previous` must outlive the Task.
  [[nodiscard]] virtual Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& previous) = 0;
};

// One constant set, or none.
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
