// What the management interface needs of this program: temporary files, and the import lock of a store. Any thread.
#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <string>

#include "core/base/context.hpp"
#include "core/management/call.hpp"
#include "native/stores/store_url.hpp"

namespace portail {

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
