// The store in a bucket of wasi:keyvalue@0.2.0-draft (wasmtime, wasmCloud). Calls block until the host has answered.
// That interface has no compare-and-swap: of two writers at the same time, one may be lost. One thread.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/guest/bucket_store.hpp"
#include "edge/bindings/keyvalue/keyvalue.h"
#include "edge/http/owned.hpp"

namespace portail::edge {

class KeyvalueStore final : public BucketStore {
 public:
  // `bucket` is the host's name for it. The error is one line for the operator.
  static std::expected<std::unique_ptr<KeyvalueStore>, std::string> open(const std::string& bucket);
  using BucketStore::open;

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  Task<std::vector<std::string>> keys(Context& context) override;

 private:
  using Bucket = Owned<keyvalue_store_own_bucket_t, keyvalue_store_bucket_drop_own>;
  explicit KeyvalueStore(Bucket bucket) : bucket_(std::move(bucket)) {}
  [[nodiscard]] keyvalue_store_borrow_bucket_t bucket() const { return keyvalue_store_borrow_bucket(bucket_.get()); }

  Bucket bucket_;
};

}  // namespace portail::edge
