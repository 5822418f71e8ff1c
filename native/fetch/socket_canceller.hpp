// Ends blocking calls on a socket at a deadline or on a stop request, whatever the peer sends: a socket's own timeout
// restarts at each read.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Shuts the watched socket down once. Any thread; may throw std::system_error.
class SocketCanceller {
 public:
  explicit SocketCanceller(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop = {});
  SocketCanceller(const SocketCanceller&) = delete;
  SocketCanceller& operator=(const SocketCanceller&) = delete;

  // Sets the socket. Duplicates its descriptor, because the number may be reused after it is closed.
  void watch(int socket);
  [[nodiscard]] bool is_cancelled();

 private:
  void cancel();
  void shut_down_socket();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_cancelled_ = false;
  Descriptor socket_{-1};
  // Declared last, so that they are destroyed before the members that they use.
  std::stop_callback<std::function<void()>> on_stop_;
  std::jthread timer_;
};

}  // namespace portail
