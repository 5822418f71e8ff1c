#include "core/audit/audit_link.hpp"

#include <array>
#include <memory>
#include <span>

#include "core/audit/record_hash.hpp"
#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

AuditLink new_link(Context& context, std::optional<AuditName> previous) {
  std::array<std::byte, 16> salt;
  context.random.fill(salt);
  return {.previous = previous, .previous_hash = {}, .salt = lower_hex(salt)};
}

}  // namespace

AuditLink link_to(Context& context, AuditName previous, std::string_view record) {
  AuditLink link = new_link(context, previous);
  if (const auto hash = audit_record_hash(audit_key(previous), record)) link.previous_hash = lower_hex(*hash);
  return link;
}

Task<AuditLink> read_link(Context& context, Session& session, std::optional<AuditName> previous) {
  if (!previous) co_return new_link(context, previous);
  const std::string key = audit_key(*previous);
  const std::string_view name = key;
  Value record;
  co_await session.get(context, std::span(&name, 1), std::span(&record, 1));
  co_return link_to(context, *previous, record.value_or(""));
}

Task<AuditLink> read_link(Context& context, KeyValueStore& store, std::optional<AuditName> previous) {
  if (!previous) co_return new_link(context, previous);
  const auto session = co_await store.open(context);
  co_return co_await read_link(context, *session, previous);
}

}  // namespace portail
