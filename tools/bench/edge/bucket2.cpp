// Reads values from the bucket "default" of wasi:keyvalue@0.2.0-draft2 with a call for each, like the portal's store.
#include <cstdlib>

#include "edge/bindings/keyvalue2/keyvalue2.h"
#include "tools/bench/edge/answer.hpp"

namespace minimal {
namespace {

keyvalue2_string_t to_host(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

keyvalue2_store_own_bucket_t open_bucket() {
  keyvalue2_string_t name = to_host("default");
  keyvalue2_store_own_bucket_t opened{};
  keyvalue2_store_error_t error{};
  if (!keyvalue2_store_open(&name, &opened, &error)) std::abort();
  return opened;
}

struct Bucket {
  keyvalue2_store_own_bucket_t bucket = open_bucket();
  std::vector<std::string> requested = keys();
};

}  // namespace

void read_values() {
  static const Bucket bucket;
  for (const std::string& key : bucket.requested) {
    keyvalue2_string_t name = to_host(key);
    keyvalue2_option_list_u8_t found{};
    keyvalue2_store_error_t error{};
    if (!keyvalue2_store_method_bucket_get(keyvalue2_store_borrow_bucket(bucket.bucket), &name, &found, &error) ||
        !found.is_some) {
      std::abort();
    }
    keyvalue2_option_list_u8_free(&found);
  }
}

}  // namespace minimal
