// The base class of stores on a key-value bucket of the WebAssembly host. Such a bucket has one value for each key, and
// neither snapshots nor atomic batches. A derived class implements the calls of its host. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Buffers from the host that contain the bytes of values. They are kept, so that values need no copy.
using HostBuffers = std::vector<std::shared_ptr<const void>>;

// Returns the last change of each key, for stores that apply a small batch concurrently, which has no order.
std::vector<Change> last_changes(std::span<const Change> changes);

class BucketStore : public KeyValueStore {
 public:
  // Default: no traits. A derived class overrides this with those of its host.
  [[nodiscard]] Traits traits() const override { return {}; }
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) final;
  // Unless swap() is overridden: a read and a write, best effort.
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) final;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) final;

 protected:
  friend class BucketSession;

  // Like Session::get, with keys within the limits. The values are views that live as long as `buffers`.
  virtual Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                          HostBuffers& buffers) = 0;
  // Like KeyValueStore::write, with changes within the limits.
  virtual Task<void> apply(Context& context, std::span<const Change> changes) = 0;
  // Returns every key of the bucket that begins with `prefix`, in any order; other keys and duplicates are allowed.
  virtual Task<std::vector<std::string>> keys(Context& context, std::string_view prefix) = 0;
  // Like KeyValueStore::compare_and_swap, with a key and a value within the limits.
  virtual Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired);
};

}  // namespace portail
