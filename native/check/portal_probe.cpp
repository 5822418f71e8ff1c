#include "native/check/portal_probe.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "core/base/text.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/fetch/http_client.hpp"
#include "native/http/tls.hpp"
#include "native/system/name_lookup.hpp"
#include "native/system/system.hpp"

namespace portail {
namespace {

constexpr std::chrono::seconds timeout{10};
constexpr std::size_t max_body = std::size_t{1} << 20U;

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};

std::string address_text(const addrinfo& address) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(address.ai_addr, address.ai_addrlen, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const std::string text = host.data();
  return (text.contains(':') ? '[' + text + ']' : text) + ':' + port.data();
}

// Reads, writes and connects block, for at most `timeout`.
Descriptor make_socket(const addrinfo& address) {
  Descriptor socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  const timeval limit{.tv_sec = timeout.count(), .tv_usec = 0};
  if (socket) {
    setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  return socket;
}

bool is_for_host(X509* certificate, const std::string& host) {
  return X509_check_ip_asc(certificate, host.c_str(), 0) == 1 ||
         X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1;
}

// Returns the certificates that the server sent; none if the times of one are malformed. If the server is trusted,
// those that prove it are needed.
std::vector<ChainCertificate> chain_of(const SSL* session) {
  std::vector<ChainCertificate> chain;
  const STACK_OF(X509)* const verified =
      SSL_get_verify_result(session) == X509_V_OK ? SSL_get0_verified_chain(session) : nullptr;
  const STACK_OF(X509)* const sent = SSL_get_peer_cert_chain(session);
  for (int i = 0; sent && i < sk_X509_num(sent); ++i) {
    const X509* const certificate = sk_X509_value(sent, i);
    const auto validity = validity_of(certificate);
    if (!validity) return {};
    chain.push_back({.name = i == 0 ? "" : printable(subject_of(certificate)),
                     .validity = *validity,
                     .is_needed = !verified || is_needed_for(verified, certificate)});
  }
  return chain;
}

// The times and the name are checked separately.
std::string chain_fault_of(const SSL* session) {
  const long result = SSL_get_verify_result(session);
  if (result == X509_V_OK || result == X509_V_ERR_CERT_HAS_EXPIRED || result == X509_V_ERR_CERT_NOT_YET_VALID)
    return {};
  return X509_verify_cert_error_string(result);
}

std::unexpected<ProbeFault> tls_fault(std::string reason) {
  return std::unexpected(ProbeFault{ProbeFault::Stage::tls, std::move(reason)});
}

std::expected<ProbedTls, ProbeFault> probe_tls(const Url& url, const std::string& ca_file, int socket) {
  const std::unique_ptr<SSL_CTX, FreeTls> context(SSL_CTX_new(TLS_client_method()));
  if (!context) return tls_fault(openssl_reason());
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(context.get())
                                     : SSL_CTX_load_verify_file(context.get(), ca_file.c_str());
  if (loaded != 1) return tls_fault("--ca-file " + ca_file + " cannot be read: " + openssl_reason());
  const std::unique_ptr<SSL, FreeTls> session(SSL_new(context.get()));
  if (!session || SSL_set_fd(session.get(), socket) != 1) return tls_fault(openssl_reason());
  if (!is_ipv4(url.host) && !url.host.contains(':')) SSL_set_tlsext_host_name(session.get(), url.host.c_str());
  std::optional<SocketCanceller> canceller;
  try {
    canceller.emplace(std::chrono::steady_clock::now() + timeout);
  } catch (const std::system_error& error) {  // of its thread
    return tls_fault(describe_error(error));
  }
  canceller->watch(socket);
  if (SSL_connect(session.get()) != 1) {
    return tls_fault(openssl_reason("the peer closed the connection, or did not answer in time"));
  }
  const std::unique_ptr<X509, FreeTls> certificate(SSL_get1_peer_certificate(session.get()));
  std::vector<ChainCertificate> chain = chain_of(session.get());
  if (!certificate || chain.empty()) return tls_fault("the server sent no certificate");
  return ProbedTls{.version = SSL_get_version(session.get()),
                   .chain = std::move(chain),
                   .is_for_host = is_for_host(certificate.get(), url.host),
                   .chain_fault = chain_fault_of(session.get())};
}

}  // namespace

std::expected<ProbedConnection, ProbeFault> probe_connection(const Url& url, const std::string& ca_file) {
  using Stage = ProbeFault::Stage;
  const auto found = look_up_host(url.host, url.port, std::chrono::steady_clock::now() + timeout);
  if (!found) return std::unexpected(ProbeFault{Stage::name, found.error()});
  std::string reason;
  for (const addrinfo* address = found->get(); address; address = address->ai_next) {
    const Descriptor socket = make_socket(*address);
    if (!socket || connect(socket.number(), address->ai_addr, address->ai_addrlen) != 0) {
      const int error = errno == EINPROGRESS || errno == EAGAIN ? ETIMEDOUT : errno;
      reason += (reason.empty() ? "" : "; ") + address_text(*address) + ": " + std::strerror(error);
      continue;
    }
    ProbedConnection connection{.address = address_text(*address), .tls = std::nullopt};
    if (!url.is_https) return connection;
    auto tls = probe_tls(url, ca_file, socket.number());
    if (!tls) return std::unexpected(std::move(tls.error()));
    connection.tls = std::move(*tls);
    return connection;
  }
  return std::unexpected(ProbeFault{Stage::connection, std::move(reason)});
}

std::expected<ProbedAnswer, std::string> probe_get(const Url& url, const std::string& ca_file,
                                                   const std::string& target, const std::string& token) {
  std::string body;
  HttpRequest request{
      .target = target, .headers = {{"Accept-Language", "en"}}, .on_body = [&body](std::string_view bytes) {
        body += bytes;
        return body.size() <= max_body;
      }};
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  const auto answer = HttpClient(url, {.tls = {.ca_file = ca_file}, .is_direct = true})
                          .exchange(request, std::chrono::steady_clock::now() + timeout);
  if (!answer) return std::unexpected(answer.error().reason);
  return ProbedAnswer{.status = answer->status,
                      .date = std::string(answer->header("Date")),
                      .challenge = std::string(answer->header("WWW-Authenticate")),
                      .correlation_id = std::string(answer->header("X-Correlation-Id")),
                      .ends_tls = !answer->header("Strict-Transport-Security").empty(),
                      .body = std::move(body)};
}

}  // namespace portail
