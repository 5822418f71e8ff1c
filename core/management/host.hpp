// What a host provides to the management interface. Any thread.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/audit/change_record.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/management/spool.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// The lock of one import, while it is held. It is released at the latest when this is destroyed. One thread at a time.
class ImportLease {
 public:
  virtual ~ImportLease() = default;
  // The store through which the import reads and writes: after the lock is lost, changes fail.
  virtual KeyValueStore& store() = 0;
  virtual Task<void> release(Context& context) = 0;
};

class ManagementHost {
 public:
  virtual ~ManagementHost() = default;
  // Returns an empty spool.
  virtual std::unique_ptr<Spool> new_spool() = 0;
  // Acquires the lock that allows one import at a time, for an import of `author`. The error is one line: another
  // import holds it, or it cannot be acquired.
  virtual Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                                     const Author& author) = 0;
};

}  // namespace portail
