#include "native/stores/redis/redis_import_lock.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sys/random.h>

#include "core/base/text.hpp"
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/system/system.hpp"

namespace portail::redis {
namespace {

constexpr std::string_view renew_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
constexpr std::string_view release_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

// Returns a random value that identifies this holder.
std::string new_token() {
  std::array<std::byte, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) std::abort();
  return lower_hex(bytes);
}

std::string milliseconds_text(std::chrono::milliseconds time) { return std::to_string(time.count()); }

}  // namespace

class ImportLock::Holder {
 public:
  Holder(const Url& url, const Times& times) : url_(url), times_(times) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (!may_be_held_) return;
    if (renewal_thread_.joinable()) {
      renewal_thread_.request_stop();
      renewal_thread_.join();
    }
    const Request release{"EVAL", release_script, "1", key, token_};
    auto released = execute(release);
    if (!released && released.error().connection_lost) released = execute(release);
    // If the second attempt fails too, the lock expires.
  }

  // Returns false if another process holds the lock.
  std::expected<bool, Fault> acquire() {
    expires_ = std::chrono::steady_clock::now() + times_.expiry;
    const auto replies = execute({"SET", key, token_, "NX", "PX", milliseconds_text(times_.expiry)});
    may_be_held_ = !replies || text_of(*replies->front());
    if (!replies) return std::unexpected(replies.error());
    if (!may_be_held_) return false;
    try {
      renewal_thread_ = std::jthread([this](const std::stop_token& stop) { run_renewal(stop); });
    } catch (const std::system_error& error) {  // a request to the management interface must not end the server
      return std::unexpected(Fault{.message = describe_error(error)});
    }
    return true;
  }

  bool is_held() {
    const std::lock_guard lock(mutex_);
    if (renew()) return !is_lost_;
    return std::chrono::steady_clock::now() + engine::call_timeout <= expires_;
  }

 private:
  void run_renewal(const std::stop_token& stop) {
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex_);
    auto interval = times_.renewal;
    while (!stopped.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); })) {
      interval = renew() ? times_.renewal : times_.retry;
    }
  }

  // Returns whether the server responded. The mutex must be held. A missing key is not set again: another import may
  // have held the lock since.
  bool renew() {
    if (is_lost_) return true;
    const auto sent = std::chrono::steady_clock::now();
    const auto renewed = execute({"EVAL", renew_script, "1", key, token_, milliseconds_text(times_.expiry)});
    if (!renewed || renewed->front()->type != REDIS_REPLY_INTEGER) return false;
    is_lost_ = renewed->front()->integer != 1;
    expires_ = sent + times_.expiry;
    return true;
  }

  // Uses the open connection, or opens one.
  std::expected<std::vector<Reply>, Fault> execute(const Request& request) {
    if (connection_ && !connection_->is_alive()) connection_.reset();
    if (!connection_) {
      auto opened = connect_to_primary(url_, engine::default_deadline());
      if (!opened) return std::unexpected(opened.error());
      connection_ = std::move(*opened);
    }
    auto replies = connection_->execute(request, engine::default_deadline());
    if (!replies) connection_.reset();
    return replies;
  }

  const Url url_;
  const Times times_;
  const std::string token_ = new_token();
  bool may_be_held_ = false;  // also true if the reply to its acquisition was lost

  // Guarded by the mutex once the renewal thread runs.
  std::mutex mutex_;
  std::optional<Connection> connection_;
  std::chrono::steady_clock::time_point expires_;  // the earliest time
  bool is_lost_ = false;

  std::jthread renewal_thread_;
};

ImportLock::ImportLock(std::unique_ptr<Holder> holder) : holder_(std::move(holder)) {}
ImportLock::ImportLock(ImportLock&& other) noexcept = default;
ImportLock& ImportLock::operator=(ImportLock&& other) noexcept = default;
ImportLock::~ImportLock() = default;

bool ImportLock::is_held() { return holder_->is_held(); }

std::expected<ImportLock, std::string> ImportLock::acquire(const Url& url, const Times& times) {
  auto holder = std::make_unique<Holder>(url, times);
  const auto acquired = holder->acquire();
  if (!acquired) return std::unexpected(url.name() + " cannot be locked for an import: " + acquired.error().message);
  if (!*acquired) {
    return std::unexpected("another import is running on " + url.name() +
                           ", or was killed less than half a minute ago: wait until it ends");
  }
  return ImportLock(std::move(holder));
}

}  // namespace portail::redis
