#include "edge/stores/keyvalue/keyvalue2_store.hpp"

#include <cstddef>
#include <utility>

#include "edge/stores/adopted_bytes.hpp"

namespace portail::edge {
namespace {

constexpr int max_swap_attempts = 4;  // if the host refuses to swap an unchanged value

Value value_of(keyvalue2_option_list_u8_t& found, HostBuffers& buffers) {
  return found.is_some ? Value(adopt(found.val, buffers)) : std::nullopt;
}

using Cas = Owned<keyvalue2_atomics_own_cas_t, keyvalue2_atomics_cas_drop_own>;

}  // namespace

std::expected<std::unique_ptr<Keyvalue2Store>, std::string> Keyvalue2Store::open(const std::string& bucket) {
  auto opened = open_bucket(bucket);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<Keyvalue2Store>(new Keyvalue2Store(std::move(*opened)));
}

Task<Value> Keyvalue2Store::read_one(Context& context, std::string_view key, HostBuffers& buffers) {
  auto name = list_of<keyvalue2_string_t>(key);
  keyvalue2_option_list_u8_t found{};
  keyvalue2_store_error_t error{};
  if (!keyvalue2_store_method_bucket_get(bucket(), &name, &found, &error)) {
    co_return failed(context, "store: a read failed", error);
  }
  co_return value_of(found, buffers);
}

Task<void> Keyvalue2Store::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                                HostBuffers& buffers) {
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = co_await read_one(context, keys[i], buffers);
}

Task<bool> Keyvalue2Store::swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  HostBuffers buffers;
  auto name = list_of<keyvalue2_string_t>(key);
  for (int attempt = 0; attempt < max_swap_attempts; ++attempt) {
    keyvalue2_store_error_t error{};
    keyvalue2_atomics_own_cas_t created{};
    if (!keyvalue2_atomics_static_cas_new(bucket(), &name, &created, &error)) {
      co_return failed(context, "store: a write failed", error);
    }
    Cas cas(created);
    keyvalue2_option_list_u8_t found{};
    if (!keyvalue2_atomics_method_cas_current(keyvalue2_atomics_borrow_cas(cas.get()), &found, &error)) {
      co_return failed(context, "store: a write failed", error);
    }
    if (value_of(found, buffers) != expected) co_return false;

    auto value = list_of<keyvalue2_list_u8_t>(desired);
    keyvalue2_atomics_cas_error_t refusal{};
    if (keyvalue2_atomics_swap(cas.release(), &value, &refusal)) co_return true;
    const bool lost = refusal.tag == KEYVALUE2_ATOMICS_CAS_ERROR_CAS_FAILED;
    if (lost) {
      Cas{refusal.val.cas_failed};  // dropped: the next attempt creates a new one
    } else {
      context.log.warn("store: a write failed", consume_error(refusal.val.store_error));
    }
    // Spin reports this error also for a swap that Redis has made, so the bucket's value decides.
    const Value now = co_await read_one(context, key, buffers);
    if (now == desired) co_return true;
    if (lost && now != expected) co_return false;
    if (!lost) break;
  }
  co_return std::unexpected(Failure::unavailable);
}

}  // namespace portail::edge
