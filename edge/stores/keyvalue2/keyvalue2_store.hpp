// The store in a bucket of wasi:keyvalue@0.2.0-draft2 (Spin), with that interface's compare-and-swap. Calls block until
// the host has answered. One thread.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/guest/bucket_store.hpp"
#include "edge/bindings/keyvalue2/keyvalue2.h"
#include "edge/http/owned.hpp"

namespace portail::edge {

class Keyvalue2Store final : public BucketStore {
 public:
  // `bucket` is the host's name for it. The error is one line for the operator.
  static std::expected<std::unique_ptr<Keyvalue2Store>, std::string> open(const std::string& bucket);
  using BucketStore::open;
  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  Task<std::vector<std::string>> keys(Context& context) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

 private:
  using Bucket = Owned<keyvalue2_store_own_bucket_t, keyvalue2_store_bucket_drop_own>;
  explicit Keyvalue2Store(Bucket bucket) : bucket_(std::move(bucket)) {}
  [[nodiscard]] keyvalue2_store_borrow_bucket_t bucket() const { return keyvalue2_store_borrow_bucket(bucket_.get()); }

  Task<Value> read_one(Context& context, std::string_view key, HostBuffers& buffers);

  Bucket bucket_;
};

}  // namespace portail::edge
