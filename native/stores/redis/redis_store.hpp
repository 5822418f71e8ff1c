// The store in a Redis or Valkey server: each value is a plain string under the very name of its key, which is how
// Spin's Redis key-value backend reads and writes. What it promises is in docs/stores.md. Any thread; several processes
// at once. A call blocks its thread until the server has answered, for RedisClient::longest_call at most.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "native/stores/redis/redis_client.hpp"

namespace portail {

class RedisStore final : public KeyValueStore {
 public:
  // Connected to, once: the server is there and takes us. The error is one line that names the server.
  static std::expected<std::unique_ptr<RedisStore>, std::string> open(const RedisUrl& url);

  // No snapshots: each batch sees one state, a session as many as it has batches. Compare-and-swap is a script on the
  // server, and a batch of writes a transaction.
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  explicit RedisStore(const RedisUrl& url) : client_(url) {}

  RedisClient client_;
};

}  // namespace portail
