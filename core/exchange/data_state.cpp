#include "core/exchange/data_state.hpp"

#include <memory>
#include <span>
#include <string_view>

#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"

namespace portail {

Task<DataState> read_data_state(Context& context, Session& session) {
  const std::string_view key = configuration_key;
  Value value;
  co_await session.get(context, std::span(&key, 1), std::span(&value, 1));
  AuditedValue audited = co_await read_audited_value(value.value_or(""));
  if (const auto edition = take_edition(audited)) {
    co_return DataState{.name = audit_key(edition->import), .is_complete = edition->is_complete};
  }
  co_return DataState{.name = std::string(value.value_or(""))};
}

Task<DataState> read_data_state(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return co_await read_data_state(context, *session);
}

}  // namespace portail
