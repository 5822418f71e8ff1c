// What the stores over a host's buckets have in common. Such a bucket holds one value a key, answers for one key at a
// time, and has neither snapshots nor batches that take effect whole. Derive from it, and say how the host is asked.
// One thread, as everything in a component.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Buffers that the host handed over, with the bytes of values in them: kept as they are, not copied.
using HostBuffers = std::vector<std::shared_ptr<const void>>;

class BucketStore : public KeyValueStore {
 public:
  // No traits: a derived class adds those of its host.
  [[nodiscard]] Traits traits() const override { return {}; }
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) final;
  // A read and a write, best effort, where swap() is not overridden.
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) final;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) final;

 protected:
  friend class BucketSession;

  // As Session::get, of keys within the limits; the values are views that live as long as `buffers`.
  virtual Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                          HostBuffers& buffers) = 0;
  // As KeyValueStore::write, of changes within the limits.
  virtual Task<void> apply(Context& context, std::span<const Change> changes) = 0;
  // Every key of the bucket, in any order, some perhaps twice.
  virtual Task<std::vector<std::string>> keys(Context& context) = 0;
  // As KeyValueStore::compare_and_swap, of a key and a value within the limits.
  virtual Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired);
};

}  // namespace portail
