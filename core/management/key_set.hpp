// Stores a key set as config.jwks, from which components without the setting jwks take their keys: PUT /manage/keys
// (docs/reference/management.md) and `portail keys store`. Any thread.
#pragma once

#include <string_view>

#include "core/auth/key_set.hpp"
#include "core/management/call.hpp"

namespace portail {

// Writes the record of the change, then the value. `text` is a loaded key set of at most max_value_size bytes.
Task<void> store_keys(Context& context, KeyValueStore& store, const LoadedKeySet& loaded, std::string_view text,
                      const Author& author);

Task<Response> put_keys(Context& context, const ManagementCall& call);

}  // namespace portail
