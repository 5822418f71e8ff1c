// The store as it is, keys and values, in the forms that other programs load: for hosts whose stores this program
// cannot write to itself. One thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/exchange/export.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

enum class ValueFormat : std::uint8_t {
  spin_sqlite,  // SQL for the file in which Spin keeps its key-value stores; one transaction
  redis,        // commands in Redis' own protocol, as `redis-cli --pipe` and `valkey-cli --pipe` take them
  json_lines,   // {"key":"…","value":"…"} on each line, the value in base64
};

// Hands all keys to the sink, in ascending order; of one state where the store has snapshots. `label` is the name of
// the Spin store. Fails with cancelled where the sink refuses.
Task<void> export_values(Context& context, KeyValueStore& store, ValueFormat format, std::string_view label,
                         ExportSink& sink);

}  // namespace portail
