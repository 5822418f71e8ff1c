// The lock that allows one import at a time, as a value of the store, for hosts without locks of their own. An importer
// that ends without releasing it holds it until it expires. One thread; several requests may wait for it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/management/host.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::int64_t import_lock_seconds = 60;  // without a renewal

// Sets the value `config.import-lock` by a compare-and-swap. The lease renews it before changes. On a store without
// compare-and-swap, two imports that begin at the same moment can both acquire it. The error is one line. `store` must
// outlive the lease.
Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_stored_lock(Context& context,
                                                                                   KeyValueStore& store);

}  // namespace portail
