#include "native/fetch/http_client.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <limits>
#include <utility>

#include <httplib.h>
#include <openssl/ssl.h>

#include "native/fetch/socket_canceller.hpp"
#include "native/system/name_lookup.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock;
using Kind = ExchangeFault::Kind;

constexpr milliseconds connect_timeout{5000};  // of each address

std::unexpected<ExchangeFault> fault(Kind kind, std::string reason) {
  return std::unexpected(ExchangeFault{.kind = kind, .reason = std::move(reason)});
}
std::unexpected<ExchangeFault> timed_out() { return fault(Kind::timed_out, "timed out"); }

std::unique_ptr<httplib::ClientImpl> make_secure_client(const Url& origin, const ClientTls& tls) {
  auto client = std::make_unique<httplib::SSLClient>(origin.host, origin.port);
  client->enable_server_certificate_verification(true);
  if (!tls.ca_file.empty()) client->set_ca_cert_path(tls.ca_file);
  auto* const context = static_cast<SSL_CTX*>(client->tls_context());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (!tls.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM);
  }
  return client;
}

std::unique_ptr<httplib::ClientImpl> make_client(const Url& origin, const HttpClientOptions& options) {
  auto client = origin.is_https ? make_secure_client(origin, options.tls)
                                : std::make_unique<httplib::ClientImpl>(origin.host, origin.port);
  client->set_follow_location(false);
  client->set_decompress(false);
  client->set_keep_alive(options.keep_alive);
  client->set_path_encode(options.encode_target);
  client->set_payload_max_length(std::numeric_limits<std::size_t>::max());
  return client;
}

std::string describe(httplib::Error error) {
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

HttpClient::HttpClient(Url origin, HttpClientOptions options)
    : origin_(std::move(origin)), options_(std::move(options)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

bool HttpClient::is_connected() const { return client_ && client_->is_socket_open() != 0; }

std::expected<httplib::Response, ExchangeFault> HttpClient::exchange(const httplib::Request& request,
                                                                     steady_clock::time_point deadline,
                                                                     const std::stop_token& stop) {
  try {
    return exchange_or_throw(request, deadline, stop);
  } catch (const std::exception& error) {
    client_.reset();  // it may be within a request
    return fault(Kind::failed, error.what());
  }
}

std::expected<httplib::Response, ExchangeFault> HttpClient::exchange_or_throw(const httplib::Request& request,
                                                                              steady_clock::time_point deadline,
                                                                              const std::stop_token& stop) {
  SocketCanceller canceller(deadline, stop);
  if (!client_) client_ = make_client(origin_, options_);
  if (is_connected()) {
    canceller.watch(client_->socket());
  } else if (const auto found = look_up_host(origin_.host, origin_.port, deadline, stop); !found) {
    // cpp-httplib resolves the name again, without a deadline.
    if (stop.stop_requested()) return fault(Kind::stopped, "stopped");
    return steady_clock::now() >= deadline ? timed_out() : fault(Kind::failed, found.error());
  }
  // Rounded up: the client must not give up before the deadline, with another reason.
  const auto remaining = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  if (remaining.count() <= 0) return timed_out();
  // In microseconds only: if the seconds are not 0, cpp-httplib 0.41 resolves names by getaddrinfo_a; when that fails
  // it returns while glibc's thread still writes to its stack frame (cpp-httplib issue 2431, fixed in 0.44).
  const std::chrono::microseconds to_connect = std::min(remaining, connect_timeout);
  client_->set_connection_timeout(0, static_cast<std::time_t>(to_connect.count()));
  client_->set_read_timeout(remaining);
  client_->set_write_timeout(remaining);
  client_->set_socket_options([&canceller](socket_t socket) { canceller.watch(socket); });
  auto result = client_->send(request);
  client_->set_socket_options(nullptr);
  if (result) return std::move(*result);
  if (stop.stop_requested()) return fault(Kind::stopped, "stopped");
  if (canceller.is_cancelled() || steady_clock::now() >= deadline) return timed_out();
  return fault(Kind::failed, describe(result.error()));
}

}  // namespace portail
