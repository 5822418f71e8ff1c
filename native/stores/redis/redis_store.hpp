// The store in a Redis or Valkey server: each value is a plain string under the name of its key, as in Spin's Redis
// key-value backend (docs/reference/stores.md has its guarantees). Any thread; several processes concurrently. A
// request that waits for the server is suspended if its host supports that; otherwise it blocks its thread, for at most
// engine::call_timeout.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_loop.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::redis {

class Store final : public engine::Store {
 public:
  // Connects, and checks that the server can hold the store. The error is one line that names the server.
  static std::expected<std::unique_ptr<Store>, std::string> open(const Url& url);

  // No snapshots: each batch of reads sees one state, but the batches of a session see different ones. Compare-and-swap
  // is a script on the server, and a batch of writes is a transaction.
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<portail::Session>> open(Context& context) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  PoolCounts pool() { return loop_.counts(); }

  // For the sessions: returns the replies to a query. Faults are logged, at most one a minute.
  Task<std::vector<Reply>> execute(Context& context, Query query, std::string_view event);

 private:
  Store(const Url& url, Connection first)
      : engine::Store(url.name()), replicas_(url.replicas), loop_(url, std::move(first)) {}
  Task<WriteOutcome> apply(Context& context, std::span<const Change> changes) override;
  Task<WriteOutcome> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;
  // Returns the replies to a write once the URL's number of replicas has acknowledged it; empty if the connection was
  // lost before they arrived.
  Task<std::vector<Reply>> execute_write(Context& context, Request request);

  const unsigned replicas_;
  Loop loop_;
};

}  // namespace portail::redis
