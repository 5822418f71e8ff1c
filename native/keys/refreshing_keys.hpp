// A key set whose document may change. One background thread reads it, by a schedule and when a token has an unknown
// key. While reading fails, the previous keys stay in effect up to their maximum age. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "core/auth/key_schedule.hpp"
#include "core/auth/key_set.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/context.hpp"
#include "native/keys/key_documents.hpp"
#include "native/system/log.hpp"

namespace portail::keys {

// State for monitoring.
struct Status {
  std::size_t keys = 0;                     // usable keys
  std::optional<std::chrono::seconds> age;  // since the source last answered; absent before its first answer
  std::uint64_t consecutive_failures = 0;
  std::string last_failure;  // of consecutive_failures, as logged; else empty
  std::uint64_t failures = 0;
  std::uint64_t refreshes = 0;  // including failures
};

class RefreshingKeys final : public KeySource {
 public:
  // `log` must outlive this.
  RefreshingKeys(std::unique_ptr<Document> document, RefreshIntervals times, JsonLog& log);
  ~RefreshingKeys() override;

  // Reads the document synchronously. Before start() only.
  void refresh();
  // Starts the background thread.
  void start();

  // Makes the background thread read the document, now or after the running read.
  void request_refresh();

  [[nodiscard]] SharedKeySet current() override;
  // Suspends the request until one refresh has ended, which all waiting requests share: at most until `max_wait` after
  // the refresh began or is due. Does not wait if the context has no RequestSuspension.
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& previous) override;
  [[nodiscard]] Status status();

 private:
  // A new key set; nullopt if the document is unchanged.
  using ReadResult = std::expected<std::optional<LoadedKeySet>, std::string>;
  class Waiter;

  void run(const std::stop_token& stop);
  void refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // Without keys an unchanged document also returns its key set.
  ReadResult read(const std::stop_token& stop, bool has_keys);
  void expire_keys(std::unique_lock<std::mutex>& lock);
  void log_result(const ReadResult& result, const Status& status);
  void log_failure(const std::string& reason, const Status& status);
  // When the keys expire; `never` without keys.
  [[nodiscard]] Instant expiry() const;
  [[nodiscard]] Status status_at(Instant now) const;

  // For the reading thread only.
  std::unique_ptr<Document> document_;
  JsonLog& log_;
  std::optional<std::string> last_text_;
  std::optional<std::string> last_text_error_;  // why last_text_ is not a key set
  std::string logged_failure_;
  LogThrottle failure_throttle_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  const RefreshIntervals times_;
  KeyFetches fetches_;
  Instant due_;  // of the next fetch; during a fetch, `never` unless a refresh was requested
  SharedKeySet keys_;
  std::optional<Instant> answered_at_;  // end of the last successful fetch, also after the keys expired
  std::uint64_t refreshes_ = 0;
  std::uint64_t failures_ = 0;
  std::string last_failure_;
  std::set<RequestSuspension*> waiters_;  // for the end of a refresh

  std::jthread thread_;
};

// Logs the number of keys, and a line for each key that is refused or has private members. `source` names the document.
void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded);

}  // namespace portail::keys
