#include "core/management/call_audit.hpp"

#include <array>
#include <optional>
#include <string>

#include "core/json/writer.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/format.hpp"

namespace portail {
Task<void> record_call(Context& context, KeyValueStore& store, const Author& author, std::string_view id,
                       std::string_view query, int status) {
  if (!is_readable(co_await read_format(context, store))) co_return;
  std::string record;
  JsonWriter json(record);
  begin_record(json, AuditAction::call, context.clock.now(), author, std::nullopt);
  write_text(json, "id", id);
  write_text(json, "query", query);
  json.name("status").integer(status).end_object();
  const std::string key = audit_key(next_audit_name(context, std::nullopt));
  const std::array changes{Change{key, record}};
  co_await store.write(context, changes);
}

}  // namespace portail
