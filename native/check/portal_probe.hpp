// What a client sees of a running portal: address, TLS, answers. For `portail check URL`. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/http/url.hpp"
#include "native/http/tls.hpp"

namespace portail {

// The server's side of a TLS handshake.
struct ProbedTls {
  std::string version;                  // "TLSv1.3"
  std::vector<ChainCertificate> chain;  // the server's own first, with an empty name; of issuers the subject
  bool is_for_host = false;
  std::string chain_fault;  // why the certificate is not trusted, besides times and name; empty: it is trusted
};

struct ProbedConnection {
  std::string address;  // "[::1]:8443"
  std::optional<ProbedTls> tls;
};

struct ProbeFault {
  enum class Stage : std::uint8_t { name, connection, tls };
  Stage stage;
  std::string reason;
};

// Connects to the first address of the host that accepts, and for https performs a handshake without refusing any
// certificate. Sends nothing. `ca_file` has PEM certificate authorities; empty: the system's.
std::expected<ProbedConnection, ProbeFault> probe_connection(const Url& url, const std::string& ca_file);

struct ProbedAnswer {
  int status = 0;
  std::string date;
  std::string challenge;  // WWW-Authenticate
  std::string correlation_id;
  bool ends_tls = false;  // Strict-Transport-Security: the portal itself ends TLS
  std::string body;
};

// Sends GET `target`, with a token if it is not empty, by no proxy, as probe_connection(). Verifies the certificate;
// the error is a reason.
std::expected<ProbedAnswer, std::string> probe_get(const Url& url, const std::string& ca_file,
                                                   const std::string& target, const std::string& token);

}  // namespace portail
