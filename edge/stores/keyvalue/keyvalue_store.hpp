// The store in a bucket of wasi:keyvalue@0.2.0-draft (wasmtime, wasmCloud). That interface has no compare-and-swap: of
// two concurrent writes, one may be lost.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "bindings/keyvalue/keyvalue.h"
#include "edge/stores/keyvalue/wasi_bucket.hpp"

namespace portail::edge {

struct KeyvalueDraft {
  using String = keyvalue_string_t;
  using Bytes = keyvalue_list_u8_t;
  using Error = keyvalue_store_error_t;
  using Page = keyvalue_store_key_response_t;
  using Bucket = keyvalue_store_own_bucket_t;
  static constexpr auto open = keyvalue_store_open;
  static constexpr auto borrow_bucket = keyvalue_store_borrow_bucket;
  static constexpr auto drop_bucket = keyvalue_store_bucket_drop_own;
  static constexpr auto set = keyvalue_store_method_bucket_set;
  static constexpr auto remove = keyvalue_store_method_bucket_delete;
  static constexpr auto list_keys = keyvalue_store_method_bucket_list_keys;
  static constexpr auto free_error = keyvalue_store_error_free;
  static constexpr auto free_page = keyvalue_store_key_response_free;
};

class KeyvalueStore final : public WasiBucket<KeyvalueDraft> {
 public:
  // `bucket` is the host's name of the bucket. The error is one line for the operator.
  static std::expected<std::unique_ptr<KeyvalueStore>, std::string> open(const std::string& bucket);
  using BucketStore::open;

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;

 private:
  using WasiBucket::WasiBucket;
};

}  // namespace portail::edge
