// What connects an audit record to its predecessor. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct AuditLink {
  std::optional<AuditName> previous;
  std::string previous_hash;  // 64 lower-case hexadecimal digits; empty if the predecessor is missing or has no hash
  std::string salt;           // of the new record: 32 hexadecimal digits, random
};

// Returns the link of a new record to `previous`, whose text is `record`.
[[nodiscard]] AuditLink link_to(Context& context, AuditName previous, std::string_view record);

// The same; reads the predecessor. nullopt: the first record of a chain.
Task<AuditLink> read_link(Context& context, Session& session, std::optional<AuditName> previous);
Task<AuditLink> read_link(Context& context, KeyValueStore& store, std::optional<AuditName> previous);

}  // namespace portail
