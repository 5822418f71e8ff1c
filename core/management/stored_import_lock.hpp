// The lock that allows one import at a time, as a value of the store: between hosts of WebAssembly, which have no other
// lock, and the program. An importer that ends without releasing it holds it until it expires. One thread; several
// requests may wait for it.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "core/audit/audit_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/management/call.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline constexpr std::int64_t import_lock_seconds = 60;  // without a renewal

enum class ImportHolder : std::uint8_t {
  guest,    // in a host of WebAssembly
  program,  // holds the lock of the program too: a stored lock of another program is one that its end left, and
            // replaced
};

// Sets the value `config.import-lock` by a compare-and-swap. The lease renews it before changes. On a store without
// compare-and-swap, two imports that begin at the same moment can both acquire it. The error is one line, with the
// author of the other import. `store` must outlive the lease.
Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_stored_lock(Context& context,
                                                                                   KeyValueStore& store,
                                                                                   const Author& author,
                                                                                   ImportHolder holder);

// Returns the error of acquire_stored_lock if another importer holds the lock.
Task<std::expected<void, std::string>> check_stored_lock(Context& context, KeyValueStore& store, ImportHolder holder);

}  // namespace portail
