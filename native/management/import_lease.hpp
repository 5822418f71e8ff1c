// The lock of an import by this program: that of the store's scheme, which ends with the process, and for a store that
// hosts of WebAssembly share the stored one too. One thread at a time.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/management/call.hpp"
#include "native/stores/store_url.hpp"

namespace portail {

// The error is one line: another import holds a lock, or it cannot be acquired. `url` and `store` must outlive the
// lease.
Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_import_lease(Context& context,
                                                                                    const StoreUrl& url,
                                                                                    KeyValueStore& store,
                                                                                    const Author& author);

}  // namespace portail
