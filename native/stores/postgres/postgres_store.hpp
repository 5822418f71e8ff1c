// The store in a PostgreSQL server: one table of keys and values. What it promises is in docs/reference/stores.md. Any
// thread; several processes at once. A request that waits for the server is suspended where its host has a place for
// that, and otherwise blocks its thread, for longest_engine_call at most.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "native/host/once_a_minute.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "native/stores/pool_counts.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_loop.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

class PostgresStore final : public EngineStore {
 public:
  // Connected to, and its table looked at, which is made where there is none and `access` says so; for anything but
  // reading, a write has been tried. A standby may serve where the address takes one. The error is one line that names
  // the server.
  static std::expected<std::unique_ptr<PostgresStore>, std::string> open(const PostgresUrl& url, StoreAccess access);

  // All of them: a session is a transaction that reads one state, a write a transaction, compare-and-swap a statement.
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  PoolCounts pool() { return loop_.counts(); }

  // For its sessions: the outcome of a call; a fault is logged, one a minute.
  Task<PostgresAnswer> ask(Context& context, PostgresQuestion question, std::string_view event);
  // A fault of one, logged likewise.
  std::unexpected<Failure> failed(Context& context, std::string_view event, const PostgresFault& fault);

 private:
  PostgresStore(const PostgresUrl& url, PostgresConnection first) : name_(url.name), loop_(url, std::move(first)) {}
  Task<Written> apply(Context& context, std::span<const Change> changes) override;
  Task<Written> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;
  // The result of a write; null where its answer was lost.
  Task<PostgresResult> ask_to_write(Context& context, PostgresStatement statement);
  void tell(Context& context, std::string_view event, const PostgresFault& fault);

  const std::string name_;
  PostgresLoop loop_;
  std::mutex logging_;
  OnceAMinute fault_;
};

}  // namespace portail
