#include "native/keys/http_get.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/auth/key_url.hpp"
#include "core/files/descriptor.hpp"
#include "native/http/connect_timeout.hpp"
#include "native/system/name_lookup.hpp"

namespace portail::keys {
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

std::unique_ptr<httplib::ClientImpl> make_client(const Url& url, const std::string& ca_file) {
  if (!url.is_https) return std::make_unique<httplib::ClientImpl>(url.host, url.port);
  auto client = std::make_unique<httplib::SSLClient>(url.host, url.port);
  client->enable_server_certificate_verification(true);
  if (!ca_file.empty()) client->set_ca_cert_path(ca_file);
  SSL_CTX_set_min_proto_version(static_cast<SSL_CTX*>(client->tls_context()), TLS1_2_VERSION);
  return client;
}

std::string reason(httplib::Error error) {
  switch (error) {
    case httplib::Error::SSLServerVerification:
      return "its certificate is not from a trusted authority, or has expired";
    case httplib::Error::SSLServerHostnameVerification:
      return "its certificate is for another name";
    case httplib::Error::SSLLoadingCerts:
      return "the trusted authorities cannot be read";
    default:
      return httplib::to_string(error);
  }
}

}  // namespace

std::expected<std::string, std::string> http_get(std::string_view url, Transport transport, const std::string& ca_file,
                                                 steady_clock::time_point deadline, std::stop_token stop) {
  const auto fail = [url](const std::string& reason) {
    return std::unexpected("cannot fetch " + std::string(without_query(url)) + ": " + reason);
  };
  const auto parsed_url = parse_key_url(url, transport);
  if (!parsed_url) return fail("it is not an https URL");
  try {
    SocketCanceller canceller(deadline, stop);
    // cpp-httplib resolves the name again, without a deadline.
    if (const auto found = look_up_host(parsed_url->host, parsed_url->port, deadline, stop); !found) {
      return fail(found.error());
    }
    const auto remaining = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    if (remaining.count() <= 0) return fail("timed out");
    const auto made = make_client(*parsed_url, ca_file);
    httplib::ClientImpl& client = *made;
    client.set_follow_location(false);
    client.set_decompress(false);
    set_connect_timeout(client, std::min(remaining, connect_timeout));
    client.set_read_timeout(remaining);
    client.set_write_timeout(remaining);
    client.set_max_timeout(remaining);
    client.set_socket_options([&canceller](socket_t socket) { canceller.watch(socket); });

    int status = 0;
    bool too_large = false;
    std::string body;
    const auto result = client.Get(
        parsed_url->target, {{"Accept", "application/json"}, {"Accept-Encoding", "identity"}},
        [&status](const httplib::Response& response) {
          status = response.status;
          return status == 200;
        },
        [&body, &too_large](const char* bytes, std::size_t count) {
          too_large = body.size() + count > max_fetched_size;
          if (!too_large) body.append(bytes, count);
          return !too_large;
        });
    if (too_large) return fail("it is larger than 256 KiB");
    if (status != 0 && status != 200) return fail(describe_status(status));
    if (stop.stop_requested()) return fail("stopped");
    if (canceller.is_cancelled() || steady_clock::now() >= deadline) return fail("timed out");
    if (!result) return fail(reason(result.error()));
    return body;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace portail::keys
