// The key set of a service whose document may change: one background thread reads it, by a schedule and when a token
// names an unknown key. As long as reading fails the old keys count, up to their longest age. Any thread.
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

#include "core/auth/key_set.hpp"
#include "core/auth/key_source.hpp"
#include "core/base/waiting_place.hpp"
#include "native/host/log.hpp"
#include "native/keys/key_document.hpp"
#include "native/keys/refresh_schedule.hpp"

namespace portail {

// What an operator may watch.
struct KeyStatus {
  std::size_t keys = 0;                     // that can be used now
  std::optional<std::chrono::seconds> age;  // since the source last answered; nothing where it never did
  std::uint64_t failures_in_a_row = 0;
  std::string last_failure;  // of these, as the log says it
  std::uint64_t failures = 0;
  std::uint64_t refreshes = 0;  // those that failed included
};

class RefreshingKeys final : public KeySource {
 public:
  // `log` outlives this.
  RefreshingKeys(std::unique_ptr<KeyDocument> document, RefreshTimes times, JsonLog& log);
  ~RefreshingKeys() override;

  // Reads the document here and now, so that the keys are there before anything is served; before start() only.
  void refresh();
  // From now on the background thread reads.
  void start();

  // The background thread reads once more, now or when it has ended what it reads.
  void refresh_soon();

  [[nodiscard]] SharedKeySet current() override;
  // Suspends the request, at most 2 s from when the refresh began or is due, and not where its context has no waiting
  // place. However many wait, all go on when the one refresh ends.
  [[nodiscard]] Task<SharedKeySet> refreshed(Context& context, const SharedKeySet& seen) override;
  [[nodiscard]] KeyStatus status();

 private:
  using Time = RefreshSchedule::Time;
  // A key set other than the last, or nothing where the document still says the same.
  using Reading = std::expected<std::optional<LoadedKeySet>, std::string>;
  class Waiter;

  void run(const std::stop_token& stop);
  void refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // Where no keys are held, what the document says is news even if it said so before.
  Reading read(const std::stop_token& stop, bool keys_held);
  void forget_old_keys(std::unique_lock<std::mutex>& lock);
  void log_reading(const Reading& reading, const KeyStatus& status);
  void log_failure(const std::string& why, const KeyStatus& status);
  [[nodiscard]] KeyStatus status_now(Time now) const;

  // Used by the reading thread only.
  std::unique_ptr<KeyDocument> document_;
  JsonLog& log_;
  std::optional<std::string> last_text_;
  std::optional<std::string> last_fault_;  // why last_text_ is no key set
  std::string logged_failure_;
  Time logged_failure_at_{};

  // Used by all threads, under the mutex.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  RefreshSchedule schedule_;
  SharedKeySet keys_;
  std::optional<Time> fetch_began_;  // while one is under way
  std::uint64_t refreshes_ = 0;
  std::uint64_t failures_ = 0;
  std::string last_failure_;
  std::set<WaitingPlace*> waiting_;  // for the end of a refresh

  std::jthread thread_;
};

}  // namespace portail
