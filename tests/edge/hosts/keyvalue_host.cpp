// A host of wasi:keyvalue@0.2.0-draft whose buckets are folders. Composed with a component that imports it. The value
// of the key "misnamed" is returned under another name.
#include "bindings/keyvalue-host/keyvalue_host.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/edge/hosts/folder_buckets.hpp"

struct exports_store_bucket_t {
  std::unique_ptr<portail::FolderBucket> folder;
};

namespace {

using portail::to_list;
using portail::to_text;
using List = keyvalue_host_list_u8_t;
using Text = keyvalue_host_string_t;

constexpr std::size_t page_size = 3;  // small, so that every test reads several pages

bool failed(exports_store_error_t* error) {
  *error = {.tag = EXPORTS_STORE_ERROR_OTHER, .val = {.other = to_list<Text>("the folder cannot be used")}};
  return false;
}

}  // namespace

bool exports_store_open(Text* name, exports_store_own_bucket_t* opened, exports_store_error_t* error) {
  auto folder = portail::FolderBucket::open(to_text(*name));
  keyvalue_host_string_free(name);
  if (!folder) {
    *error = {.tag = EXPORTS_STORE_ERROR_NO_SUCH_STORE, .val = {}};
    return false;
  }
  *opened = exports_store_bucket_new(new exports_store_bucket_t{std::move(folder)});
  return true;
}

void exports_store_bucket_destructor(exports_store_bucket_t* bucket) { delete bucket; }

bool exports_store_method_bucket_get(exports_store_bucket_t* bucket, Text* key, keyvalue_host_option_list_u8_t* found,
                                     exports_store_error_t* error) {
  const auto value = bucket->folder->get(to_text(*key));
  keyvalue_host_string_free(key);
  if (!value) return failed(error);
  *found = {.is_some = value->has_value(), .val = to_list<List>(value->value_or(""))};
  return true;
}

bool exports_store_method_bucket_set(exports_store_bucket_t* bucket, Text* key, List* value,
                                     exports_store_error_t* error) {
  const auto done = bucket->folder->write(to_text(*key), to_text(*value));
  keyvalue_host_string_free(key);
  keyvalue_host_list_u8_free(value);
  return done || failed(error);
}

bool exports_store_method_bucket_delete(exports_store_bucket_t* bucket, Text* key, exports_store_error_t* error) {
  const auto done = bucket->folder->write(to_text(*key), std::nullopt);
  keyvalue_host_string_free(key);
  return done || failed(error);
}

bool exports_store_method_bucket_list_keys(exports_store_bucket_t* bucket, std::uint64_t* from,
                                           exports_store_key_response_t* page, exports_store_error_t* error) {
  const auto names = bucket->folder->keys();
  const std::size_t begin = from ? static_cast<std::size_t>(*from) : 0;
  if (!names || begin > names->size()) return failed(error);
  const std::size_t count = std::min(page_size, names->size() - begin);
  page->keys = {.ptr = static_cast<Text*>(std::calloc(count + 1, sizeof(Text))), .len = count};
  for (std::size_t i = 0; i < count; ++i) page->keys.ptr[i] = to_list<Text>((*names)[begin + i]);
  const bool more = begin + count < names->size();
  page->cursor = {.is_some = more, .val = begin + count};
  return true;
}

bool exports_batch_get_many(exports_store_bucket_t* bucket, keyvalue_host_list_string_t* keys,
                            keyvalue_host_list_option_tuple2_string_list_u8_t* found, exports_store_error_t* error) {
  using Found = keyvalue_host_option_tuple2_string_list_u8_t;
  // Hosts either include absent keys or omit them; this one alternates.
  static unsigned calls = 0;
  const bool omits_absent = ++calls % 2 == 0;
  *found = {.ptr = static_cast<Found*>(std::calloc(keys->len + 1, sizeof(Found))), .len = 0};
  for (std::size_t i = 0; i < keys->len; ++i) {
    const std::string key = to_text(keys->ptr[i]);
    const auto value = bucket->folder->get(key);
    if (!value) return failed(error);
    if (!*value && omits_absent) continue;
    Found& entry = found->ptr[found->len++];
    if (!*value) continue;
    const std::string name = key == "misnamed" ? "another" : key;
    entry = {.is_some = true, .val = {.f0 = to_list<Text>(name), .f1 = to_list<List>(**value)}};
  }
  keyvalue_host_list_string_free(keys);
  return true;
}
