#include "native/fetch/fetch.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/files/descriptor.hpp"
#include "native/fetch/http_client.hpp"
#include "native/http/connect_timeout.hpp"
#include "native/system/name_lookup.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;

constexpr milliseconds connect_timeout{5000};

// Shuts a socket down at a deadline or on a stop request. cpp-httplib's own timeouts restart at each read of a
// handshake.
class SocketCanceller {
 public:
  SocketCanceller(steady_clock::time_point deadline, const std::stop_token& stop)
      : on_stop_(stop, [this] { cancel(); }), timer_([this, deadline](const std::stop_token& timer_stop) {
          std::unique_lock lock(mutex_);
          changed_.wait_until(lock, timer_stop, deadline, [this] { return is_cancelled_; });
          if (!timer_stop.stop_requested() && !is_cancelled_) shut_down_socket();
        }) {}
  SocketCanceller(const SocketCanceller&) = delete;
  SocketCanceller& operator=(const SocketCanceller&) = delete;

  // Sets the socket. Duplicates its descriptor, because the number may be reused after it is closed.
  void watch(int socket) {
    const std::lock_guard lock(mutex_);
    socket_ = Descriptor(dup(socket));
    if (is_cancelled_) shut_down_socket();
  }
  [[nodiscard]] bool is_cancelled() {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }

 private:
  void cancel() {
    const std::lock_guard lock(mutex_);
    shut_down_socket();
    changed_.notify_all();
  }
  void shut_down_socket() {
    is_cancelled_ = true;
    if (socket_) shutdown(socket_.number(), SHUT_RDWR);
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_cancelled_ = false;
  Descriptor socket_{-1};
  // Declared last, so that they are destroyed before the members that they use.
  std::stop_callback<std::function<void()>> on_stop_;
  std::jthread timer_;
};

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kib = 1024;
  if (bytes >= kib * kib && bytes % (kib * kib) == 0) return std::to_string(bytes / (kib * kib)) + " MiB";
  if (bytes >= kib && bytes % kib == 0) return std::to_string(bytes / kib) + " KiB";
  return std::to_string(bytes) + " bytes";
}

std::expected<FetchedHead, std::string> fetch(const FetchRequest& request, const BodyReceiver& receive) {
  const Url& url = request.url;
  try {
    SocketCanceller canceller(request.deadline, request.stop);
    // cpp-httplib resolves the name again, without a deadline.
    if (const auto found = look_up_host(url.host, url.port, request.deadline, request.stop); !found) {
      return std::unexpected(found.error());
    }
    // Rounded up: the client must not give up before the deadline, with another reason.
    const auto remaining = std::chrono::ceil<milliseconds>(request.deadline - steady_clock::now());
    if (remaining.count() <= 0) return std::unexpected("timed out");
    const auto made = make_http_client(url, {.ca_file = request.ca_file});
    httplib::ClientImpl& client = *made;
    client.set_payload_max_length(std::numeric_limits<std::size_t>::max());  // max_size is checked below
    set_connect_timeout(client, std::min(remaining, connect_timeout));
    client.set_read_timeout(remaining);
    client.set_write_timeout(remaining);
    client.set_max_timeout(remaining);
    client.set_socket_options([&canceller](socket_t socket) { canceller.watch(socket); });

    FetchedHead head;
    bool too_large = false;
    bool is_refused = false;
    std::uint64_t size = 0;
    httplib::Headers headers(request.headers.begin(), request.headers.end());
    headers.emplace("Accept-Encoding", "identity");
    const auto result = client.Get(
        url.target, headers,
        [&head, &too_large, &request](const httplib::Response& response) {
          head = {.status = response.status,
                  .etag = response.get_header_value("ETag"),
                  .last_modified = response.get_header_value("Last-Modified")};
          too_large = response.status == 200 && response.get_header_value_u64("Content-Length") > request.max_size;
          return response.status == 200 && !too_large;
        },
        [&receive, &size, &too_large, &is_refused, &request](const char* bytes, std::size_t count) {
          size += count;
          too_large = size > request.max_size;
          is_refused = !too_large && !receive({bytes, count});
          return !too_large && !is_refused;
        });
    if (too_large) return std::unexpected("it is larger than " + size_text(request.max_size));
    if (is_refused) return std::unexpected("the receiver failed");
    if (head.status != 0 && head.status != 200) return head;
    if (request.stop.stop_requested()) return std::unexpected("stopped");
    if (canceller.is_cancelled() || steady_clock::now() >= request.deadline) return std::unexpected("timed out");
    if (!result) return std::unexpected(describe(result.error()));
    return head;
  } catch (const std::exception& error) {
    return std::unexpected(error.what());
  }
}

}  // namespace portail
