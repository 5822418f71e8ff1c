#include "edge/stores/keyvalue2/keyvalue2_store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/guest/bucket_store.hpp"
#include "edge/stores/moved_bytes.hpp"

namespace portail::edge {
namespace {

constexpr int most_swaps = 4;  // of a host that refuses to swap a value that nobody changed

// The generated functions take what they only read without const.
keyvalue2_string_t to_host(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}
keyvalue2_list_u8_t bytes_to_host(std::string_view bytes) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data())), .len = bytes.size()};
}
std::string_view from_host(const keyvalue2_string_t& text) {
  return {reinterpret_cast<const char*>(text.ptr), text.len};
}

// Frees `error`.
std::string taken(keyvalue2_store_error_t& error) {
  std::string text = "the host gives no reason";
  if (error.tag == KEYVALUE2_STORE_ERROR_NO_SUCH_STORE) text = "the host has no such store";
  if (error.tag == KEYVALUE2_STORE_ERROR_ACCESS_DENIED) text = "the host does not let this component at the store";
  if (error.tag == KEYVALUE2_STORE_ERROR_OTHER) text = from_host(error.val.other);
  keyvalue2_store_error_free(&error);
  return text;
}

std::unexpected<Failure> failed(Context& context, std::string_view event, keyvalue2_store_error_t& error) {
  context.log.warn(event, taken(error));
  return std::unexpected(Failure::unavailable);
}

Value taken(keyvalue2_option_list_u8_t& found, HostBuffers& buffers) {
  return found.is_some ? Value(moved(found.val, buffers)) : std::nullopt;
}

using Cas = Owned<keyvalue2_atomics_own_cas_t, keyvalue2_atomics_cas_drop_own>;

}  // namespace

std::expected<std::unique_ptr<Keyvalue2Store>, std::string> Keyvalue2Store::open(const std::string& bucket) {
  keyvalue2_string_t name = to_host(bucket);
  keyvalue2_store_own_bucket_t opened{};
  keyvalue2_store_error_t error{};
  if (!keyvalue2_store_open(&name, &opened, &error)) {
    return std::unexpected("the bucket \"" + bucket + "\" cannot be opened: " + taken(error));
  }
  return std::unique_ptr<Keyvalue2Store>(new Keyvalue2Store(Bucket(opened)));
}

Task<Value> Keyvalue2Store::read_one(Context& context, std::string_view key, HostBuffers& buffers) {
  keyvalue2_string_t name = to_host(key);
  keyvalue2_option_list_u8_t found{};
  keyvalue2_store_error_t error{};
  if (!keyvalue2_store_method_bucket_get(bucket(), &name, &found, &error)) {
    co_return failed(context, "store: a read failed", error);
  }
  co_return taken(found, buffers);
}

Task<void> Keyvalue2Store::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                                HostBuffers& buffers) {
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = co_await read_one(context, keys[i], buffers);
}

Task<void> Keyvalue2Store::apply(Context& context, std::span<const Change> changes) {
  for (const Change& change : changes) {
    keyvalue2_string_t key = to_host(change.key);
    keyvalue2_list_u8_t value = bytes_to_host(change.value.value_or(""));
    keyvalue2_store_error_t error{};
    const bool done = change.value ? keyvalue2_store_method_bucket_set(bucket(), &key, &value, &error)
                                   : keyvalue2_store_method_bucket_delete(bucket(), &key, &error);
    if (!done) co_await failed(context, "store: a write failed", error);
  }
}

Task<std::vector<std::string>> Keyvalue2Store::keys(Context& context) {
  std::vector<std::string> names;
  std::optional<std::string> cursor;
  do {
    keyvalue2_string_t from = to_host(cursor ? std::string_view(*cursor) : "");
    keyvalue2_store_key_response_t page{};
    keyvalue2_store_error_t error{};
    if (!keyvalue2_store_method_bucket_list_keys(bucket(), cursor ? &from : nullptr, &page, &error)) {
      co_return failed(context, "store: a scan failed", error);
    }
    for (std::size_t i = 0; i < page.keys.len; ++i) names.emplace_back(from_host(page.keys.ptr[i]));
    cursor = page.cursor.is_some ? std::optional<std::string>(from_host(page.cursor.val)) : std::nullopt;
    keyvalue2_store_key_response_free(&page);
  } while (cursor);
  co_return names;
}

Task<bool> Keyvalue2Store::swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  HostBuffers buffers;
  keyvalue2_string_t name = to_host(key);
  for (int tries = 0; tries < most_swaps; ++tries) {
    keyvalue2_store_error_t error{};
    keyvalue2_atomics_own_cas_t made{};
    if (!keyvalue2_atomics_static_cas_new(bucket(), &name, &made, &error)) {
      co_return failed(context, "store: a write failed", error);
    }
    Cas cas(made);
    keyvalue2_option_list_u8_t found{};
    if (!keyvalue2_atomics_method_cas_current(keyvalue2_atomics_borrow_cas(cas.get()), &found, &error)) {
      co_return failed(context, "store: a write failed", error);
    }
    if (taken(found, buffers) != expected) co_return false;

    keyvalue2_list_u8_t value = bytes_to_host(desired);
    keyvalue2_atomics_cas_error_t refusal{};
    if (keyvalue2_atomics_swap(cas.release(), &value, &refusal)) co_return true;
    const bool lost = refusal.tag == KEYVALUE2_ATOMICS_CAS_ERROR_CAS_FAILED;
    if (lost) {
      Cas{refusal.val.cas_failed};  // for another try, which begins with a new one here
    } else {
      context.log.warn("store: a write failed", taken(refusal.val.store_error));
    }
    // Spin says so of a Redis that has done it: what the bucket holds decides.
    const Value now = co_await read_one(context, key, buffers);
    if (now == desired) co_return true;
    if (lost && now != expected) co_return false;
    if (!lost) break;
  }
  co_return std::unexpected(Failure::unavailable);
}

}  // namespace portail::edge
