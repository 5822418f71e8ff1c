#include "core/exchange/steps/stored_grants.hpp"

#include <span>
#include <string_view>

#include "core/storage/key.hpp"

namespace portail {

Task<AuditedValue> read_stored_grants(Context& context, Session& session) {
  const std::string_view key = grants_key;
  Value value;
  co_await session.get(context, std::span(&key, 1), std::span(&value, 1));
  co_return co_await read_audited_value(value.value_or(""));
}

}  // namespace portail
