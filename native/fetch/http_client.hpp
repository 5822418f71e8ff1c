// The HTTP client of the program: cpp-httplib's, with one deadline for a whole exchange. All requests that the program
// sends pass through it, except those of spans (native/telemetry/otlp). Callers include httplib.h, which is heavy.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>

#include "core/http/url.hpp"

namespace httplib {
class ClientImpl;
struct Request;
struct Response;
}  // namespace httplib

namespace portail {

// PEM files of the client side of TLS.
struct ClientTls {
  std::string ca_file = {};      // authorities of servers; empty: the system's
  std::string certificate = {};  // of the client, with its chain; empty: none
  std::string key = {};          // of the certificate
};

struct HttpClientOptions {
  ClientTls tls = {};
  bool keep_alive = false;    // keeps the connection between requests
  bool encode_target = true;  // percent-encodes what a URI cannot have
};

struct ExchangeFault {
  enum class Kind : std::uint8_t { timed_out, stopped, failed };
  Kind kind;
  std::string reason;  // for messages, without the URL
};

// A client of one origin. It verifies certificates, follows no redirects and decodes no content. One thread at a time.
class HttpClient {
 public:
  // A file that cannot be used fails the requests.
  explicit HttpClient(Url origin, HttpClientOptions options = {});
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  [[nodiscard]] bool is_connected() const;

  // Sends a request, and passes the answer to its handlers; without a receiver of content, the answer has its body,
  // however large. The exchange, from the lookup of the name to the last byte, ends at the deadline and on a stop
  // request, whatever the peer sends. An answer of any status is one.
  std::expected<httplib::Response, ExchangeFault> exchange(const httplib::Request& request,
                                                           std::chrono::steady_clock::time_point deadline,
                                                           const std::stop_token& stop = {});

 private:
  std::expected<httplib::Response, ExchangeFault> exchange_or_throw(const httplib::Request& request,
                                                                    std::chrono::steady_clock::time_point deadline,
                                                                    const std::stop_token& stop);

  Url origin_;
  HttpClientOptions options_;
  std::unique_ptr<httplib::ClientImpl> client_;  // made by the first exchange
};

}  // namespace portail
