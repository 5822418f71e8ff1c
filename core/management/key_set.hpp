// Stores a key set as config.jwks, from which components without the setting jwks take their keys: PUT /manage/keys
// (docs/reference/management.md) and `portail keys store`. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/management/call.hpp"

namespace portail {

// Returns a message about the first key with private members: such a set must not be stored, where exports and backups
// would copy it. nullopt if there is none.
std::optional<std::string> private_key_fault(const LoadedKeySet& loaded);

// Writes the record of the change, then the value, and releases the lock of imports: under it, the last record is that
// of the stored set. `text` is a loaded key set of at most max_value_size bytes.
Task<void> store_keys(Context& context, ImportLease& lease, const LoadedKeySet& loaded, std::string_view text,
                      const Author& author);

}  // namespace portail
