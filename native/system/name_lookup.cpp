#include "native/system/name_lookup.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/socket.h>

#include "native/system/system.hpp"

namespace portail {
namespace {

using Found = std::expected<Addresses, std::string>;

struct Lookup {
  std::mutex mutex;
  std::condition_variable_any completed;
  std::optional<Found> result;
};

Found resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) return std::unexpected(gai_strerror(code));
  return Addresses(found);
}

}  // namespace

std::expected<Addresses, std::string> look_up_host(const std::string& host, int port,
                                                   std::chrono::steady_clock::time_point deadline,
                                                   std::stop_token stop) {
  const auto lookup = std::make_shared<Lookup>();
  try {
    std::thread([lookup, host, port] {
      Found result = resolve(host, port);
      const std::lock_guard lock(lookup->mutex);
      lookup->result = std::move(result);
      lookup->completed.notify_all();
    }).detach();
  } catch (const std::system_error& error) {  // the process has all the threads that it may have
    return std::unexpected(describe_error(error));
  }
  std::unique_lock lock(lookup->mutex);
  if (lookup->completed.wait_until(lock, stop, deadline, [&lookup] { return lookup->result.has_value(); })) {
    return std::move(*lookup->result);
  }
  return std::unexpected(stop.stop_requested() ? "stopped" : "timed out");
}

}  // namespace portail
