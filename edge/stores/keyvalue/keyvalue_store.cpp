#include "edge/stores/keyvalue/keyvalue_store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/guest/bucket_store.hpp"
#include "edge/stores/moved_bytes.hpp"

namespace portail::edge {
namespace {

// The generated functions take what they only read without const.
keyvalue_string_t to_host(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}
keyvalue_list_u8_t bytes_to_host(std::string_view bytes) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data())), .len = bytes.size()};
}
std::string_view from_host(const keyvalue_string_t& text) {
  return {reinterpret_cast<const char*>(text.ptr), text.len};
}

// Frees `error`.
std::string taken(keyvalue_store_error_t& error) {
  std::string text = "the host gives no reason";
  if (error.tag == KEYVALUE_STORE_ERROR_NO_SUCH_STORE) text = "the host has no such store";
  if (error.tag == KEYVALUE_STORE_ERROR_ACCESS_DENIED) text = "the host does not let this component at the store";
  if (error.tag == KEYVALUE_STORE_ERROR_OTHER) text = from_host(error.val.other);
  keyvalue_store_error_free(&error);
  return text;
}

std::unexpected<Failure> failed(Context& context, std::string_view event, keyvalue_store_error_t& error) {
  context.log.warn(event, taken(error));
  return std::unexpected(Failure::unavailable);
}

}  // namespace

std::expected<std::unique_ptr<KeyvalueStore>, std::string> KeyvalueStore::open(const std::string& bucket) {
  keyvalue_string_t name = to_host(bucket);
  keyvalue_store_own_bucket_t opened{};
  keyvalue_store_error_t error{};
  if (!keyvalue_store_open(&name, &opened, &error)) {
    return std::unexpected("the bucket \"" + bucket + "\" cannot be opened: " + taken(error));
  }
  return std::unique_ptr<KeyvalueStore>(new KeyvalueStore(Bucket(opened)));
}

Task<void> KeyvalueStore::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                               HostBuffers& buffers) {
  std::vector<keyvalue_string_t> names;
  for (const std::string_view key : keys) names.push_back(to_host(key));
  keyvalue_list_string_t wanted{.ptr = names.data(), .len = names.size()};
  keyvalue_list_option_tuple2_string_list_u8_t found{};
  keyvalue_batch_error_t error{};
  if (!keyvalue_batch_get_many(bucket(), &wanted, &found, &error)) {
    co_await failed(context, "store: a read failed", error);
  }
  // The answers have the order of the keys, absences included; a host that leaves absences out is told by the names.
  std::size_t next = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values[i] = std::nullopt;
    if (next == found.len) continue;
    auto& answer = found.ptr[next];
    if (answer.is_some && from_host(answer.val.f0) != keys[i]) continue;
    if (answer.is_some) values[i] = moved(answer.val.f1, buffers);
    ++next;
  }
  const bool understood = next == found.len;
  keyvalue_list_option_tuple2_string_list_u8_free(&found);
  if (!understood) {
    context.log.warn("store: a read failed", "the host answers other keys than it was asked for");
    co_await std::unexpected(Failure::unavailable);
  }
}

Task<void> KeyvalueStore::apply(Context& context, std::span<const Change> changes) {
  for (const Change& change : changes) {
    keyvalue_string_t key = to_host(change.key);
    keyvalue_list_u8_t value = bytes_to_host(change.value.value_or(""));
    keyvalue_store_error_t error{};
    const bool done = change.value ? keyvalue_store_method_bucket_set(bucket(), &key, &value, &error)
                                   : keyvalue_store_method_bucket_delete(bucket(), &key, &error);
    if (!done) co_await failed(context, "store: a write failed", error);
  }
}

Task<std::vector<std::string>> KeyvalueStore::keys(Context& context) {
  std::vector<std::string> names;
  std::optional<std::uint64_t> cursor;
  do {
    keyvalue_store_key_response_t page{};
    keyvalue_store_error_t error{};
    if (!keyvalue_store_method_bucket_list_keys(bucket(), cursor ? &*cursor : nullptr, &page, &error)) {
      co_return failed(context, "store: a scan failed", error);
    }
    for (std::size_t i = 0; i < page.keys.len; ++i) names.emplace_back(from_host(page.keys.ptr[i]));
    cursor = page.cursor.is_some ? std::optional(page.cursor.val) : std::nullopt;
    keyvalue_store_key_response_free(&page);
  } while (cursor);
  co_return names;
}

}  // namespace portail::edge
