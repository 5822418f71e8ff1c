// A store in an engine that answers over a connection, which may end before the answer to a write has come. Then the
// store reads again, on another connection, before it reports a result: if the wanted value is there the write was
// done, and is reported so once a write behind it has succeeded, so that it is as durable as every other. All else is a
// failure, since the write may yet be done, or was done and another writer wrote after it. Nothing is done twice. Any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

class EngineStore : public KeyValueStore {
 public:
  Task<void> write(Context& context, std::span<const Change> changes) final;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) final;

 protected:
  // `lost`: the connection ended before the engine said so, and the log has a line.
  enum class Written : std::uint8_t { yes, no, lost };

  // As KeyValueStore::write, of changes within the limits, and at least one. Never `no`.
  virtual Task<Written> apply(Context& context, std::span<const Change> changes) = 0;
  // As KeyValueStore::compare_and_swap, of a key and a value within the limits.
  virtual Task<Written> swap(Context& context, std::string_view key, Value expected, std::string_view desired) = 0;

 private:
  Task<void> find(Context& context, std::span<const Change> changes);
};

}  // namespace portail
