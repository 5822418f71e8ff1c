// The store in a PostgreSQL server: one table of keys and values (docs/reference/stores.md has its guarantees). Any
// thread; several processes concurrently. A request that waits for the server is suspended if its host supports that;
// otherwise it blocks its thread, for at most engine::call_timeout.
#pragma once

#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "native/stores/engine/engine_store.hpp"
#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/postgres/postgres_loop.hpp"
#include "native/stores/postgres/postgres_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::postgres {

class Store final : public engine::Store {
 public:
  // Connects and checks the table; creates it if it is missing and `access` allows that. Unless `access` only reads, a
  // write is tried. If the URL allows a standby, a standby may serve. The error is one line that names the server.
  static std::expected<std::unique_ptr<Store>, std::string> open(const Url& url, StoreAccess access);

  // All traits: a session is a transaction that reads one state, a write is a transaction, compare-and-swap a
  // statement.
  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<portail::Session>> open(Context& context) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  PoolCounts pool() { return loop_.counts(); }

  // For the sessions: executes the query. Faults are logged, at most one a minute.
  Task<Response> execute(Context& context, Query query, std::string_view event);

 private:
  Store(const Url& url, Connection first) : engine::Store(url.name), loop_(url, std::move(first)) {}
  Task<WriteOutcome> apply(Context& context, std::span<const Change> changes) override;
  Task<WriteOutcome> swap(Context& context, std::string_view key, Value expected, std::string_view desired) override;
  // Returns the result of a write; null if the connection was lost before it arrived.
  Task<Result> execute_write(Context& context, Statement statement);

  Loop loop_;
};

}  // namespace portail::postgres
