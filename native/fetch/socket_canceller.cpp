#include "native/fetch/socket_canceller.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace portail {

SocketCanceller::SocketCanceller(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop)
    : on_stop_(stop, [this] { cancel(); }), timer_([this, deadline](const std::stop_token& timer_stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, timer_stop, deadline, [this] { return is_cancelled_; });
        if (!timer_stop.stop_requested() && !is_cancelled_) shut_down_socket();
      }) {}

void SocketCanceller::watch(int socket) {
  const std::lock_guard lock(mutex_);
  socket_ = Descriptor(dup(socket));
  if (is_cancelled_) shut_down_socket();
}

bool SocketCanceller::is_cancelled() {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void SocketCanceller::cancel() {
  const std::lock_guard lock(mutex_);
  shut_down_socket();
  changed_.notify_all();
}

void SocketCanceller::shut_down_socket() {
  is_cancelled_ = true;
  if (socket_) shutdown(socket_.number(), SHUT_RDWR);
}

}  // namespace portail
