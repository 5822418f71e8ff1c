#include "wasm/module/host_store.hpp"

#include <memory>
#include <string>

#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"
#include "wasm/module/operation.hpp"

namespace portail::wasm {
namespace {

std::string encoded(std::span<const std::string_view> keys) {
  std::string bytes;
  append_number(bytes, static_cast<std::uint32_t>(keys.size()));
  for (const std::string_view key : keys) append_text(bytes, key);
  return bytes;
}

// Decodes `bytes` to views. Returns false if they are not exactly as many values.
bool decode(std::string_view bytes, std::span<Value> values) {
  Decoder decoder(bytes);
  if (decoder.number() != values.size()) return false;
  for (Value& value : values) value = decoder.value();
  return decoder.complete();
}

}  // namespace

Task<void> HostStore::read(Context&, std::span<const std::string_view> keys, std::span<Value> values,
                           HostBuffers& buffers) {
  Operation operation;
  if (!operation.completed()) {
    const std::string bytes = encoded(keys);
    portail_get_many(store_, operation.number(), bytes_of(bytes), size_of(bytes));
  }
  const auto read = std::make_shared<const OperationResult>(co_await co_await operation);
  buffers.push_back(read);
  if (decode(read->values.view(), values)) co_return;
  log_.warn("store", "the host completed get_many with bytes that are not its values");
  co_await std::unexpected(Failure::corrupt);
}

Task<void> HostStore::change(Context&, const Change& change) {
  Operation operation;
  if (!operation.completed()) {
    if (change.value) {
      portail_put(store_, operation.number(), bytes_of(change.key), size_of(change.key), bytes_of(*change.value),
                  size_of(*change.value));
    } else {
      portail_remove(store_, operation.number(), bytes_of(change.key), size_of(change.key));
    }
  }
  co_await co_await operation;
}

Task<void> HostStore::apply(Context& context, std::span<const Change> changes) {
  for (const Change& one : changes) co_await change(context, one);
}

Task<bool> HostStore::swap(Context&, std::string_view key, Value expected, std::string_view desired) {
  Operation operation;
  if (!operation.completed()) {
    portail_compare_and_swap(store_, operation.number(), bytes_of(key), size_of(key),
                             expected ? bytes_of(*expected) : nullptr, expected ? size_of(*expected) : PORTAIL_ABSENT,
                             bytes_of(desired), size_of(desired));
  }
  const OperationResult swapped = co_await co_await operation;
  co_return !swapped.different;
}

Task<std::vector<std::string>> HostStore::keys(Context&, std::string_view prefix) {
  Operation operation;
  if (!operation.completed()) portail_list_keys(store_, operation.number(), bytes_of(prefix), size_of(prefix));
  const OperationResult listed = co_await co_await operation;
  Decoder decoder(listed.values.view());
  std::vector<std::string> names;
  for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) names.emplace_back(decoder.text());
  if (!decoder.complete()) {
    log_.warn("store", "the host completed list_keys with bytes that are not its keys");
    co_await std::unexpected(Failure::corrupt);
  }
  co_return names;
}

}  // namespace portail::wasm
