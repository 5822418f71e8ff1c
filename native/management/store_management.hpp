// What the management interface needs of this program: temporary files, and the import lock of a store. Any thread.
#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/management/call.hpp"
#include "core/management/spool.hpp"
#include "native/stores/store_url.hpp"
#include "native/system/temporary_file.hpp"

namespace portail {

// A spool in a temporary file without a name, which disappears with the program. One thread at a time.
class FileSpool final : public Spool {
 public:
  // The file is created in the folder by the first append(). Failures are logged to `log`, which must outlive this.
  FileSpool(std::string folder, Log& log) : folder_(std::move(folder)), log_(log) {}

  Result<void> append(std::string_view bytes) override;
  Result<void> rewind() override;
  Result<std::optional<std::string_view>> next() override;

 private:
  // Logs why the file cannot be used.
  [[nodiscard]] std::unexpected<Failure> failed(const std::string& reason) const;

  std::string folder_;
  Log& log_;
  std::optional<TemporaryFile> file_;
};

// Acquires the lock of an import by this program: that of the store's scheme, which ends with the process, and for a
// store that hosts of WebAssembly share the stored one too. The error is one line: another import holds a lock, or it
// cannot be acquired. `url` and `store` must outlive the lease. One thread at a time.
Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_import_lease(Context& context,
                                                                                    const StoreUrl& url,
                                                                                    KeyValueStore& store,
                                                                                    const Author& author);

class StoreManagement final : public ManagementHost {
 public:
  // All arguments must outlive this.
  StoreManagement(const StoreUrl& url, KeyValueStore& store, Log& log) : url_(url), store_(store), log_(log) {}

  // Lets the next change of an import fail: the program ends, and the import leaves what an interrupted one leaves.
  void stop() { stopping_ = true; }

  std::unique_ptr<Spool> new_spool() override;
  Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                             const Author& author) override;

 private:
  const StoreUrl& url_;
  KeyValueStore& store_;
  Log& log_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace portail
