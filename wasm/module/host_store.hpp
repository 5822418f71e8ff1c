// A store by the module's imports. The host's store determines whether a swap is atomic.
#pragma once

#include "core/webassembly/bucket_store.hpp"

namespace portail::wasm {

class HostStore final : public BucketStore {
 public:
  // `store` is the host's number of the store. `log` outlives this.
  HostStore(std::uint32_t store, Log& log) : store_(store), log_(log) {}

 private:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  // Only portail-manage.wasm scans: portail.wasm has no import for it.
  Task<std::vector<std::string>> keys(Context& context, std::string_view prefix) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

  Task<void> change(Context& context, const Change& change);

  std::uint32_t store_;
  Log& log_;
};

}  // namespace portail::wasm
