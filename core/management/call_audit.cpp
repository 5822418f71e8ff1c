#include "core/management/call_audit.hpp"

#include <string>

#include "core/audit/audit_state.hpp"
#include "core/json/writer.hpp"
#include "core/portal/mail_object_id.hpp"
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

}  // namespace portail
