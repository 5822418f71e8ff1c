// A store in an engine that responds over a connection, which may close before the response to a write arrives. The
// store then reads again, over another connection, before it reports an outcome.
//
// - If the written value is there, the write was done. It is reported as done after a second write has succeeded, so
//   that it is as durable as every other write.
// - Otherwise the call fails: the write may still be done later, or another writer has overwritten it.
//
// No write is repeated. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/storage/key_value_store.hpp"
#include "native/system/log.hpp"

namespace portail::engine {

// The bytes that one batch of reads returns at most; a long list reads its values in one batch.
inline constexpr std::size_t max_batch_bytes = std::size_t{256} * 1024 * 1024;

// The events of faults in the log.
inline constexpr std::string_view read_failed = "store: a read failed";
inline constexpr std::string_view write_failed = "store: a write failed";
inline constexpr std::string_view response_lost = "store: the answer to a write was lost";
inline constexpr std::string_view scan_failed = "store: a scan failed";

class Store : public KeyValueStore {
 public:
  // `name` is that of the server, in messages.
  explicit Store(std::string name) : name_(std::move(name)) {}

  // Logs the fault, each message at most once a minute, and returns its failure.
  template <class Fault>
  std::unexpected<Failure> log_failure(Context& context, std::string_view event, const Fault& fault) {
    log_fault(context, event, fault.message);
    return std::unexpected(fault.failure);
  }

  Task<void> write(Context& context, std::span<const Change> changes) final;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) final;

 protected:
  enum class WriteOutcome : std::uint8_t {
    done,
    mismatch,  // the key did not have the expected value
    unknown,   // the connection was lost before the response; it was logged
  };

  // As KeyValueStore::write, with at least one change, all within the limits. Never returns `mismatch`.
  virtual Task<WriteOutcome> apply(Context& context, std::span<const Change> changes) = 0;
  // As KeyValueStore::compare_and_swap, with a key and a value within the limits.
  virtual Task<WriteOutcome> swap(Context& context, std::string_view key, Value expected, std::string_view desired) = 0;

  void log_fault(Context& context, std::string_view event, const std::string& message) {
    const std::lock_guard lock(log_mutex_);
    if (log_throttle_.is_due(message)) context.log.warn(event, name_ + ": " + message);
  }

 private:
  Task<void> confirm(Context& context, std::span<const Change> changes);

  const std::string name_;
  std::mutex log_mutex_;
  CauseThrottle log_throttle_;
};

}  // namespace portail::engine
