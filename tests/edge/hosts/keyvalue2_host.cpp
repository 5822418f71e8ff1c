// A host of wasi:keyvalue@0.2.0-draft2 whose buckets are folders. Composed with a component that imports it.
#include "bindings/keyvalue2-host/keyvalue2_host.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/edge/hosts/folder_buckets.hpp"

struct exports_store_bucket_t {
  std::unique_ptr<portail::FolderBucket> folder;
};

struct exports_atomics_cas_t {
  exports_store_bucket_t* bucket;  // outlives this: the tested component owns it
  std::string key;
  std::optional<std::string> seen;
};

namespace {

using portail::to_list;
using portail::to_text;
using List = keyvalue2_host_list_u8_t;
using Text = keyvalue2_host_string_t;

constexpr std::size_t page_size = 3;  // small, so that every test reads several pages

bool failed(exports_store_error_t* error) {
  *error = {.tag = EXPORTS_STORE_ERROR_OTHER, .val = {.other = to_list<Text>("the folder cannot be used")}};
  return false;
}

}  // namespace

bool exports_store_open(Text* name, exports_store_own_bucket_t* opened, exports_store_error_t* error) {
  auto folder = portail::FolderBucket::open(to_text(*name));
  keyvalue2_host_string_free(name);
  if (!folder) {
    *error = {.tag = EXPORTS_STORE_ERROR_NO_SUCH_STORE, .val = {}};
    return false;
  }
  *opened = exports_store_bucket_new(new exports_store_bucket_t{std::move(folder)});
  return true;
}

void exports_store_bucket_destructor(exports_store_bucket_t* bucket) { delete bucket; }

bool exports_store_method_bucket_get(exports_store_bucket_t* bucket, Text* key, keyvalue2_host_option_list_u8_t* found,
                                     exports_store_error_t* error) {
  const auto value = bucket->folder->get(to_text(*key));
  keyvalue2_host_string_free(key);
  if (!value) return failed(error);
  *found = {.is_some = value->has_value(), .val = to_list<List>(value->value_or(""))};
  return true;
}

bool exports_store_method_bucket_set(exports_store_bucket_t* bucket, Text* key, List* value,
                                     exports_store_error_t* error) {
  const auto done = bucket->folder->write(to_text(*key), to_text(*value));
  keyvalue2_host_string_free(key);
  keyvalue2_host_list_u8_free(value);
  return done || failed(error);
}

bool exports_store_method_bucket_delete(exports_store_bucket_t* bucket, Text* key, exports_store_error_t* error) {
  const auto done = bucket->folder->write(to_text(*key), std::nullopt);
  keyvalue2_host_string_free(key);
  return done || failed(error);
}

bool exports_store_method_bucket_list_keys(exports_store_bucket_t* bucket, Text* from,
                                           exports_store_key_response_t* page, exports_store_error_t* error) {
  const auto names = bucket->folder->keys();
  const std::size_t begin = from ? static_cast<std::size_t>(std::atol(to_text(*from).c_str())) : 0;
  if (!names || begin > names->size()) return failed(error);
  const std::size_t count = std::min(page_size, names->size() - begin);
  page->keys = {.ptr = static_cast<Text*>(std::calloc(count + 1, sizeof(Text))), .len = count};
  for (std::size_t i = 0; i < count; ++i) page->keys.ptr[i] = to_list<Text>((*names)[begin + i]);
  const bool more = begin + count < names->size();
  page->cursor = {.is_some = more, .val = more ? to_list<Text>(std::to_string(begin + count)) : Text{}};
  return true;
}

bool exports_atomics_static_cas_new(exports_store_bucket_t* bucket, Text* key, exports_atomics_own_cas_t* created,
                                    exports_store_error_t* error) {
  const std::string name = to_text(*key);
  keyvalue2_host_string_free(key);
  const auto value = bucket->folder->get(name);
  if (!value) return failed(error);
  *created = exports_atomics_cas_new(new exports_atomics_cas_t{bucket, name, *value});
  return true;
}

void exports_atomics_cas_destructor(exports_atomics_cas_t* cas) { delete cas; }

bool exports_atomics_method_cas_current(exports_atomics_cas_t* cas, keyvalue2_host_option_list_u8_t* found,
                                        exports_store_error_t*) {
  *found = {.is_some = cas->seen.has_value(), .val = to_list<List>(cas->seen.value_or(""))};
  return true;
}

bool exports_atomics_swap(exports_atomics_own_cas_t own, List* value, exports_atomics_cas_error_t* error) {
  exports_atomics_cas_t* cas = exports_atomics_cas_rep(own);
  const auto seen = cas->seen ? portail::Value(*cas->seen) : std::nullopt;
  const auto swapped = cas->bucket->folder->swap(cas->key, seen, to_text(*value));
  keyvalue2_host_list_u8_free(value);
  // Like Spin over Redis, sometimes reports a failure of a swap that was made.
  static unsigned done = 0;
  const bool reported = swapped && *swapped && ++done % 2 == 1;
  if (swapped && !reported) {
    const auto now = cas->bucket->folder->get(cas->key);
    *error = {.tag = EXPORTS_ATOMICS_CAS_ERROR_CAS_FAILED,
              .val = {.cas_failed = exports_atomics_cas_new(
                          new exports_atomics_cas_t{cas->bucket, cas->key, now.value_or(std::nullopt)})}};
  } else if (!swapped) {
    *error = {.tag = EXPORTS_ATOMICS_CAS_ERROR_STORE_ERROR, .val = {}};
    failed(&error->val.store_error);
  }
  exports_atomics_cas_drop_own(own);
  return reported;
}
