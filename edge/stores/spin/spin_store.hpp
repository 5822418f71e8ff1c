// The store in Spin's key-value store, spin:key-value@3.0.0. Calls are asynchronous: they suspend the coroutine, and
// the instance handles other requests. The keys of a batch are read concurrently.
//
// That interface has no compare-and-swap, so SpinStore uses Spin's other interface to the same store for it; this call
// blocks. The store must live as long as its instance: a write whose caller was destroyed still uses the host's store.
// One thread.
#pragma once

#include <memory>
#include <string>

#include "bindings/spin/spin.h"
#include "core/webassembly/bucket_store.hpp"
#include "edge/host/owned.hpp"
#include "edge/stores/keyvalue/keyvalue2_store.hpp"

namespace portail::edge {

class SpinStore final : public BucketStore {
 public:
  // `label` is one of key_value_stores in spin.toml. Never fails: the first operation opens the host's store.
  static std::unique_ptr<SpinStore> open(const std::string& label) { return std::make_unique<SpinStore>(label); }
  using BucketStore::open;
  explicit SpinStore(std::string label) : label_(std::move(label)) {}
  [[nodiscard]] Traits traits() const override { return {.compare_and_swap = true}; }

 protected:
  Task<void> read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                  HostBuffers& buffers) override;
  Task<void> apply(Context& context, std::span<const Change> changes) override;
  Task<std::vector<std::string>> keys(Context& context, std::string_view prefix) override;
  Task<bool> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;

 private:
  using HostStore = Owned<spin_key_value_own_store_t, spin_key_value_store_drop_own>;

  // Returns the host's store. Opens it if necessary.
  Task<spin_key_value_borrow_store_t> store(Context& context);

  std::string label_;
  HostStore store_;
  std::unique_ptr<Keyvalue2Store> swaps_;
};

}  // namespace portail::edge
