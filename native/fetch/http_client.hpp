// An HTTP client whose calls end at a deadline or on a stop request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/http/url.hpp"
#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Ends blocking calls on a socket at a deadline or on a stop request, whatever the peer sends: a socket's own timeout
// restarts at each read.

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

// The HTTP client of the program: libcurl's, with one deadline for a whole exchange. All requests that the program
// sends pass through it, except those of spans (native/telemetry/otlp).

// PEM files of the client side of TLS.
struct ClientTls {
  std::string ca_file = {};      // authorities of servers; empty: the system's
  std::string certificate = {};  // of the client, with its chain; empty: none
  std::string key = {};          // of the certificate
};

struct HttpClientOptions {
  ClientTls tls = {};
  bool keep_alive = false;  // keeps the connection between requests
  bool decode = false;      // asks for compressed content, and decodes it; else asks for none, and leaves it as it is
  // Whether a connection that ends without TLS's close_notify ends an answer without a length, as many servers do: then
  // the content must show whether it is complete.
  bool may_end_abruptly = false;
  bool is_direct = false;  // uses no proxy
  // Of lookup, connection, proxy and handshake; default: until the deadline.
  std::chrono::milliseconds connect_timeout = std::chrono::milliseconds::max();
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpAnswer {
  int status = 0;  // never of an interim answer
  HttpHeaders headers = {};
  std::string body = {};

  // Returns the first value of that name in any case; empty if it is absent.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

struct HttpRequest {
  std::string_view method = "GET";
  std::string target;  // path and query, sent as they are
  HttpHeaders headers = {};
  std::string_view body = {};  // of a method that has one
  // Receives the head, then the next bytes of the body. If one returns false, the exchange ends with an error.
  std::function<bool(const HttpAnswer& head)> on_head = {};
  std::function<bool(std::string_view bytes)> on_body = {};  // absent: the answer has the body, however large
};

struct ExchangeFault {
  enum class Kind : std::uint8_t { timed_out, stopped, failed };
  Kind kind;
  std::string reason;  // for messages, without the URL; the same for the same cause
};

// A client of one origin. It verifies certificates and follows no redirects. For https, except to loopback addresses,
// it uses the proxy that HTTPS_PROXY, ALL_PROXY and NO_PROXY name, as curl does; proxies get no client certificate. One
// thread at a time.
class HttpClient {
 public:
  // A file that cannot be used fails the requests.
  explicit HttpClient(Url origin, HttpClientOptions options = {});

  // Sends a request and returns its complete answer, of any status. The exchange, from the lookup of the name to the
  // last byte, ends at the deadline and on a stop request, whatever the peer sends.
  std::expected<HttpAnswer, ExchangeFault> exchange(const HttpRequest& request,
                                                    std::chrono::steady_clock::time_point deadline,
                                                    const std::stop_token& stop = {});

 private:
  struct FreeTransfer {
    void operator()(void* handle) const;
  };
  struct FreeConnections {
    void operator()(void* handle) const;
  };

  Url origin_;
  HttpClientOptions options_;
  // libcurl's handles; the first one initialises the library.
  std::unique_ptr<void, FreeTransfer> transfer_;
  std::unique_ptr<void, FreeConnections> connections_;
};

}  // namespace portail
