// The store in a Redis or Valkey server: each value is a plain string under the very name of its key, which is how
// Spin's Redis key-value backend reads and writes. What it promises is in docs/reference/stores.md. Any thread; several
// processes at once. A request that waits for the server is suspended where its host has a place for that, and
// otherwise blocks its thread, for longest_engine_call at most.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "native/host/once_a_minute.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "native/stores/pool_counts.hpp"
#include "native/stores/redis/redis_call.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_loop.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

class RedisStore final : public EngineStore {
 public:
  // Connected to: the server is there, takes us, and can keep the store. The error is one line that names the server.
  static std::expected<std::unique_ptr<RedisStore>, std::string> open(const RedisUrl& url);

  // No snapshots: each batch sees one state, a session as many as it has batches. Compare-and-swap is a script on the
  // server, and a batch of writes a transaction.
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  PoolCounts pool() { return loop_.counts(); }

  // For its sessions: the replies to a question; a fault is logged, one a minute.
  Task<std::vector<RedisReply>> ask(Context& context, RedisQuestion question, std::string_view event);
  std::unexpected<Failure> failed(Context& context, std::string_view event, const RedisFault& fault);

 private:
  RedisStore(const RedisUrl& url, RedisConnection first)
      : name_(url.name()), replicas_(url.replicas), loop_(url, std::move(first)) {}
  Task<Written> apply(Context& context, std::span<const Change> changes) override;
  Task<Written> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;
  // The replies to a write, once as many replicas have it as the address says; none where they were lost.
  Task<std::vector<RedisReply>> ask_to_write(Context& context, RedisRequest request);
  void tell(Context& context, std::string_view event, const RedisFault& fault);

  const std::string name_;
  const unsigned replicas_;
  RedisLoop loop_;
  std::mutex logging_;
  OnceAMinute fault_;
};

}  // namespace portail
