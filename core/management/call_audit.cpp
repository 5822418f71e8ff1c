#include "core/management/call_audit.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>

#include "core/audit/audit_state.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/json/writer.hpp"
#include "core/portal/mail_object_id.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/format.hpp"

namespace portail {

Task<void> record_call(Context& context, KeyValueStore& store, const Author& author, std::string_view id,
                       std::string_view query, int status) {
  if (!is_readable(co_await read_format(context, store))) co_return;
  co_await append_call_record(context, store, [&](const AuditLink& link) {
    std::string record;
    JsonWriter json(record);
    begin_record(json, AuditAction::call, context.clock.now(), author, link);
    // Another id can be a personal text, which the record's hash would keep for ever.
    write_text(json, "id", parse_mail_object_id(id) ? id : std::string_view());
    write_text(json, "query", query);
    json.name("status").integer(status).end_object();
    return record;
  });
}

Task<void> record_change(Context& context, KeyValueStore& store, AuditAction action, const Author& author,
                         std::string_view name, std::string_view value) {
  std::string lost_key;  // of an attempt that lost its race
  co_await swap_configurations(context, store, [&](Configurations& configurations) -> Task<void> {
    const std::optional<AuditName> previous = configurations.last_change();
    const AuditLink link = co_await read_link(context, store, previous);
    const AuditName own = next_audit_name(context, previous);
    std::string record;
    JsonWriter json(record);
    begin_record(json, action, context.clock.now(), author, link).name(name).raw(value).end_object();
    const std::string key = audit_key(own);
    const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
    co_await store.write(context, std::span(changes).first(lost_key.empty() ? 1 : 2));
    lost_key = key;
    configurations.set_last_change(own);
  });
}

}  // namespace portail
