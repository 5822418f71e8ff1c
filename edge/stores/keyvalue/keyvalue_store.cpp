#include "edge/stores/keyvalue/keyvalue_store.hpp"

#include <cstddef>
#include <utility>

#include "edge/stores/adopted_bytes.hpp"

namespace portail::edge {

std::expected<std::unique_ptr<KeyvalueStore>, std::string> KeyvalueStore::open(const std::string& bucket) {
  auto opened = open_bucket(bucket);
  if (!opened) return std::unexpected(std::move(opened.error()));
  return std::unique_ptr<KeyvalueStore>(new KeyvalueStore(std::move(*opened)));
}

Task<void> KeyvalueStore::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                               HostBuffers& buffers) {
  std::vector<keyvalue_string_t> names;
  for (const std::string_view key : keys) names.push_back(list_of<keyvalue_string_t>(key));
  keyvalue_list_string_t requested{.ptr = names.data(), .len = names.size()};
  keyvalue_list_option_tuple2_string_list_u8_t found{};
  keyvalue_batch_error_t error{};
  if (!keyvalue_batch_get_many(bucket(), &requested, &found, &error)) {
    co_await failed(context, "store: a read failed", error);
  }
  // The results have the order of the keys. Hosts either include absent keys or omit them, so the names are compared.
  std::size_t next = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values[i] = std::nullopt;
    if (next == found.len) continue;
    auto& result = found.ptr[next];
    if (result.is_some && view_of(result.val.f0) != keys[i]) continue;
    if (result.is_some) values[i] = adopt(result.val.f1, buffers);
    ++next;
  }
  const bool is_complete = next == found.len;
  keyvalue_list_option_tuple2_string_list_u8_free(&found);
  if (!is_complete) {
    context.log.warn("store: a read failed", "the host returned keys that were not requested");
    co_await std::unexpected(Failure::unavailable);
  }
}

}  // namespace portail::edge
