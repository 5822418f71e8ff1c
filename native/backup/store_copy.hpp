// Copies a store into another one of any kind: every key and value unchanged, with consultations and audit. For tools,
// whose stores complete synchronously; one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/crypto/hash.hpp"
#include "core/json/writer.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/system/terminal.hpp"

namespace portail {

// A digest of all keys and values of a portal but its `format` (core/storage/format.hpp).
struct StoreDigest {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  // of the values
  Hash16 hash{};            // of all keys and values, in the order of the keys

  friend bool operator==(const StoreDigest&, const StoreDigest&) = default;
};

// "3 keys, 17 bytes, hash …"
std::string format_digest(const StoreDigest& digest);
// Appends the members "keys", "bytes" and "hash".
void append_members(JsonWriter& json, const StoreDigest& digest);

// Computes the digest in one scan. `step` and `all`, the number of keys or 0 if unknown, are for the progress bar.
std::expected<StoreDigest, Failure> digest_of(Context& context, KeyValueStore& store, ProgressBar& bar,
                                              std::string_view step, std::uint64_t all);

// The number of keys in `to` that are absent from `from`, without `format`.
std::expected<std::uint64_t, Failure> foreign_keys(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                   ProgressBar& bar);

// Copies the values that differ, without `format`, and returns their number. Other keys of `to` stay. An interrupted
// copy can be repeated; it writes only the rest.
std::expected<std::uint64_t, Failure> copy_values(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                  ProgressBar& bar, std::uint64_t all);

// The last step: copies `format`, which makes `to` a portal. Returns false if `from` has no format.
std::expected<bool, Failure> copy_format(Context& context, KeyValueStore& from, KeyValueStore& to);

}  // namespace portail
