// A store copied whole into another one, of whichever kind: every key and value as it is, so with consultations and the
// audit. Functions of tools, whose stores answer at once; one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/crypto/hash.hpp"
#include "core/json/writer.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/host/progress_bar.hpp"

namespace portail {

// All that a store holds for the portal but its `format` (core/storage/format.hpp), in a few words.
struct StoreDigest {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  // of the values
  Hash16 hash{};            // of every key and value, in the order of the keys

  friend bool operator==(const StoreDigest&, const StoreDigest&) = default;
};

// "3 keys, 17 bytes, hash …", for a person.
std::string in_words(const StoreDigest& digest);
// The members "keys", "bytes" and "hash", for a program.
void append_members(JsonWriter& json, const StoreDigest& digest);

// By one pass over the store. `step` and `all`, its number of keys where that is known or 0, are for the bar.
std::expected<StoreDigest, Failure> digest_of(Context& context, KeyValueStore& store, ProgressBar& bar,
                                              std::string_view step, std::uint64_t all);

// How many keys `to` has that `from` does not, `format` aside.
std::expected<std::uint64_t, Failure> foreign_keys(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                   ProgressBar& bar);

// Gives `to` the values of `from` that it does not have, all but `format`, and says how many these were. Whatever else
// is in `to` stays. Interrupted, it may be begun again: what was copied is compared, and not written again.
std::expected<std::uint64_t, Failure> copy_values(Context& context, KeyValueStore& from, KeyValueStore& to,
                                                  ProgressBar& bar, std::uint64_t all);

// The last of a copy: from now on `to` is the portal that `from` is. False where `from` has no format.
std::expected<bool, Failure> copy_format(Context& context, KeyValueStore& from, KeyValueStore& to);

}  // namespace portail
