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
#include <thread>
#include <utility>
#include <vector>

#include <sys/random.h>

#include "core/base/hexadecimal.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_protocol.hpp"

namespace portail {
namespace {

constexpr std::string_view renew_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
constexpr std::string_view release_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

// Tells this holder from every other one.
std::string new_token() {
  std::array<std::byte, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) std::abort();
  return lower_hex(bytes);
}

std::string milliseconds_text(std::chrono::milliseconds time) { return std::to_string(time.count()); }

}  // namespace

class RedisImportLock::Holder {
 public:
  Holder(const RedisUrl& url, const Times& times) : url_(url), times_(times) {}
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    if (!may_be_held_) return;
    if (renewing_.joinable()) {
      renewing_.request_stop();
      renewing_.join();
    }
    const RedisRequest release{"EVAL", release_script, "1", key, token_};
    auto released = ask(release);
    if (!released && released.error().lost) released = ask(release);
    // Where that fails too, the lock expires.
  }

  // Whether the lock is held now; false where another process holds it.
  std::expected<bool, RedisFault> take() {
    expires_ = std::chrono::steady_clock::now() + times_.expiry;
    const auto replies = ask({"SET", key, token_, "NX", "PX", milliseconds_text(times_.expiry)});
    may_be_held_ = !replies || text_of(*replies->front());
    if (!replies) return std::unexpected(replies.error());
    if (!may_be_held_) return false;
    renewing_ = std::jthread([this](const std::stop_token& stop) { keep_renewing(stop); });
    return true;
  }

  bool is_held() {
    const std::lock_guard lock(mutex_);
    if (renew()) return !is_lost_;
    return std::chrono::steady_clock::now() + longest_engine_call <= expires_;
  }

 private:
  void keep_renewing(const std::stop_token& stop) {
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex_);
    auto pause = times_.renewal;
    while (!stopped.wait_for(lock, stop, pause, [&stop] { return stop.stop_requested(); })) {
      pause = renew() ? times_.renewal : times_.retry;
    }
  }

  // Whether the server answered; under the mutex. The key that is gone is not set again: another import may have had it
  // meanwhile.
  bool renew() {
    if (is_lost_) return true;
    const auto sent = std::chrono::steady_clock::now();
    const auto renewed = ask({"EVAL", renew_script, "1", key, token_, milliseconds_text(times_.expiry)});
    if (!renewed || renewed->front()->type != REDIS_REPLY_INTEGER) return false;
    is_lost_ = renewed->front()->integer != 1;
    expires_ = sent + times_.expiry;
    return true;
  }

  // On the connection that there is, or a new one.
  std::expected<std::vector<RedisReply>, RedisFault> ask(const RedisRequest& request) {
    if (connection_ && !connection_->is_alive()) connection_.reset();
    if (!connection_) {
      auto made = connect_to_primary(url_, usual_deadline());
      if (!made) return std::unexpected(made.error());
      connection_ = std::move(*made);
    }
    auto replies = connection_->ask(request, usual_deadline());
    if (!replies) connection_.reset();
    return replies;
  }

  const RedisUrl url_;
  const Times times_;
  const std::string token_ = new_token();
  bool may_be_held_ = false;  // by this one; true where the answer was lost

  // Under the mutex, as soon as the thread renews.
  std::mutex mutex_;
  std::optional<RedisConnection> connection_;
  std::chrono::steady_clock::time_point expires_;  // at the earliest
  bool is_lost_ = false;

  std::jthread renewing_;
};

RedisImportLock::RedisImportLock(std::unique_ptr<Holder> holder) : holder_(std::move(holder)) {}
RedisImportLock::RedisImportLock(RedisImportLock&& other) noexcept = default;
RedisImportLock& RedisImportLock::operator=(RedisImportLock&& other) noexcept = default;
RedisImportLock::~RedisImportLock() = default;

bool RedisImportLock::is_held() { return holder_->is_held(); }

std::expected<RedisImportLock, std::string> RedisImportLock::acquire(const RedisUrl& url, const Times& times) {
  auto holder = std::make_unique<Holder>(url, times);
  const auto taken = holder->take();
  if (!taken) return std::unexpected(url.name() + " cannot be locked for an import: " + taken.error().text);
  if (!*taken) {
    return std::unexpected("another import is running on " + url.name() +
                           ", or was killed less than half a minute ago: wait until it ends");
  }
  return RedisImportLock(std::move(holder));
}

}  // namespace portail
