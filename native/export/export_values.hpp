// Exports keys and values in formats that other programs load, for stores that this program cannot write. One thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/exchange/data_state.hpp"
#include "core/exchange/export.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

enum class ValueFormat : std::uint8_t {
  spin_sqlite,  // SQL for the SQLite file of Spin's key-value stores; one transaction
  redis,        // commands in the Redis protocol, for `redis-cli --pipe` and `valkey-cli --pipe`
  json_lines,   // {"key":"…","value":"…"} on each line; the value is in base64
};

// Writes all keys to the sink in ascending order. `state` is that of before the call. Returns false if an import has
// changed it since: what was written must be discarded, and lacks the end of its format, if that has one. `label` is
// the name of the Spin store. Fails with cancelled if the sink fails.
Task<bool> export_values(Context& context, KeyValueStore& store, const DataState& state, ValueFormat format,
                         std::string_view label, ExportSink& sink);

}  // namespace portail
