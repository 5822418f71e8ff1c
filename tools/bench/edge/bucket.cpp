// Reads values from the bucket "default" of wasi:keyvalue@0.2.0-draft in one call, like the portal's store.
#include <cstdlib>

#include "edge/bindings/keyvalue/keyvalue.h"
#include "tools/bench/edge/answer.hpp"

namespace minimal {
namespace {

keyvalue_string_t to_host(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

keyvalue_store_own_bucket_t open_bucket() {
  keyvalue_string_t name = to_host("default");
  keyvalue_store_own_bucket_t opened{};
  keyvalue_store_error_t error{};
  if (!keyvalue_store_open(&name, &opened, &error)) std::abort();
  return opened;
}

struct Bucket {
  keyvalue_store_own_bucket_t bucket = open_bucket();
  std::vector<std::string> requested = keys();
};

}  // namespace

void read_values() {
  static const Bucket bucket;
  std::vector<keyvalue_string_t> names;
  for (const std::string& key : bucket.requested) names.push_back(to_host(key));
  keyvalue_list_string_t list{.ptr = names.data(), .len = names.size()};
  keyvalue_list_option_tuple2_string_list_u8_t found{};
  keyvalue_batch_error_t error{};
  if (!keyvalue_batch_get_many(keyvalue_store_borrow_bucket(bucket.bucket), &list, &found, &error) ||
      found.len != names.size()) {
    std::abort();
  }
  keyvalue_list_option_tuple2_string_list_u8_free(&found);
}

}  // namespace minimal
