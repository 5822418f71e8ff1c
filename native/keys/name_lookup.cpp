#include "native/keys/name_lookup.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <netdb.h>
#include <sys/socket.h>

namespace portail::keys {
namespace {

struct Lookup {
  std::mutex mutex;
  std::condition_variable_any answered;
  bool is_answered = false;
};

void resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) == 0) freeaddrinfo(found);
}

}  // namespace

bool wait_for_name(const std::string& host, std::chrono::steady_clock::time_point deadline, std::stop_token stop) {
  const auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host] {
    resolve(host);
    const std::lock_guard lock(lookup->mutex);
    lookup->is_answered = true;
    lookup->answered.notify_all();
  }).detach();
  std::unique_lock lock(lookup->mutex);
  return lookup->answered.wait_until(lock, std::move(stop), deadline, [&lookup] { return lookup->is_answered; });
}

}  // namespace portail::keys
