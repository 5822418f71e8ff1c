// The store in a bucket of wasi:keyvalue@0.2.0-draft2 (Spin), with that draft's compare-and-swap.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "bindings/keyvalue2/keyvalue2.h"
#include "edge/stores/keyvalue/wasi_bucket.hpp"

namespace portail::edge {

struct Keyvalue2Draft {
  using String = keyvalue2_string_t;
  using Bytes = keyvalue2_list_u8_t;
  using Error = keyvalue2_store_error_t;
  using Page = keyvalue2_store_key_response_t;
  using Bucket = keyvalue2_store_own_bucket_t;
  static constexpr auto open = keyvalue2_store_open;
  static constexpr auto borrow_bucket = keyvalue2_store_borrow_bucket;
  static constexpr auto drop_bucket = keyvalue2_store_bucket_drop_own;
  static constexpr auto set = keyvalue2_store_method_bucket_set;
  static constexpr auto remove = keyvalue2_store_method_bucket_delete;
  static constexpr auto list_keys = keyvalue2_store_method_bucket_list_keys;
  static constexpr auto free_error = keyvalue2_store_error_free;
  static constexpr auto free_page = keyvalue2_store_key_response_free;
};

class Keyvalue2Store final : public WasiBucket<Keyvalue2Draft> {
 public:
  // `bucket` is the host's name of the bucket. The error is one line for the operator.
  static std::expected<std::unique_ptr<Keyvalue2Store>, std::string> open(const std::string& bucket);
  using BucketStore::open;
  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

 private:
  using WasiBucket::WasiBucket;

  Task<Value> read_one(Context& context, std::string_view key, HostBuffers& buffers);
};

}  // namespace portail::edge
