// The store in a KV store of the platform. The reads of a batch, and the writes of a batch, run concurrently. The
// compare-and-swap is a write with the generation that was read. Locations of the network see a write at different
// times, so a read may return an earlier value (docs/reference/components.md). Calls block, and have no deadline; after
// the deadline of the request, none begins. One thread.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/webassembly/bucket_store.hpp"
#include "edge/fastly/abi.hpp"

namespace portail::fastly {

class KvStore final : public BucketStore {
 public:
  // `name` is the service's name of the store. The error is one line for the operator.
  static std::expected<std::unique_ptr<KvStore>, std::string> open(const std::string& name);
  using BucketStore::open;
  explicit KvStore(Handle store) : store_(store) {}
  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  Task<std::vector<std::string>> keys(Context& context, std::string_view prefix) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

 private:
  Handle store_;
};

}  // namespace portail::fastly
