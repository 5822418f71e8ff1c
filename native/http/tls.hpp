// TLS on the server side, with OpenSSL: the certificate, and streams. The bytes besides application data (handshakes,
// key updates, refused renegotiations, empty records) that OpenSSL reads are limited, for each call and for the
// connection.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <openssl/ssl.h>

#include "core/base/time.hpp"
#include "native/http/byte_stream.hpp"

namespace portail {

// A PEM file and the setting that names it, as the operator gave it: "--tls-cert", "PORTAIL_TLS_CERT".
struct TlsFile {
  std::string name;
  std::string setting;
};

// Returns OpenSSL's text for the first error in this thread's queue, and clears the queue. `otherwise`: the text if the
// queue is empty; by default "unknown error".
std::string openssl_reason(std::string_view otherwise = {});

// The validity period of a certificate (RFC 5280, 4.1.2.5); both instants are included.
struct Validity {
  Instant begin;
  Instant end;
};

// Returns the period of a certificate; nullopt for null, and for a malformed time.
std::optional<Validity> validity_of(const X509* certificate);

// A certificate of a chain, for messages and its period.
struct ChainCertificate {
  std::string name;  // of its file, and for an issuer its subject: "chain.pem (CN = Intermediate)"
  Validity validity;
  // Whether clients need it: those between the own one and a root of the system that verifies it, or, if none does,
  // the own one and its issuers below a root. Roots, and others of the file, may have expired.
  bool is_needed;
};

// Whether the server must send the certificate for the chain that a client verified: it is part of it, and not its
// root.
bool is_needed_for(const STACK_OF(X509) * verified, const X509* certificate);

// Returns the needed one of the chain that expires first.
const ChainCertificate& first_to_expire(std::span<const ChainCertificate> chain);

// Returns the subject of a certificate: "CN = portal.example".
std::string subject_of(const X509* certificate);

// A certificate and its key, for TLS 1.3, or 1.2 with forward secrecy and authenticated encryption. Immutable; any
// thread.
class TlsContext {
 public:
  // Uses a key without a password, its certificate, wherever it is in the file, and the others of the file after it,
  // each before its issuer. Of several certificates with that key, and of several issuers, the first in the file that
  // is valid now is used, or, if none is, the one that expires last. The error is one line for the operator and names
  // the setting. Accepts a certificate that is not valid now. With `client_authorities`, clients must have a
  // certificate of one of them, which each connection presents: sessions are not resumed.
  static std::expected<TlsContext, std::string> load(const TlsFile& certificate, const TlsFile& key,
                                                     const std::optional<TlsFile>& client_authorities = std::nullopt);

  [[nodiscard]] SSL_CTX* get() const { return context_.get(); }
  // The server's own certificate first.
  [[nodiscard]] std::span<const ChainCertificate> chain() const { return chain_; }
  // The same certificates in PEM.
  [[nodiscard]] std::string chain_in_pem() const;
  // Whether clients must have a certificate.
  [[nodiscard]] bool requires_client_certificates() const {
    return (SSL_CTX_get_verify_mode(get()) & SSL_VERIFY_FAIL_IF_NO_PEER_CERT) != 0;
  }
  // The BIO method with which a TlsStream reads and writes its socket.
  [[nodiscard]] const BIO_METHOD* socket_method() const { return socket_method_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<BIO_METHOD, Free> socket_method_;
  std::vector<ChainCertificate> chain_;
};

class TlsStream final : public ByteStream {
 public:
  // The context and the non-blocking socket must outlive the stream.
  TlsStream(const TlsContext& context, int socket);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Fails with StreamStatus::plain_http if the peer sends HTTP without TLS; then read() and write() do not use TLS,
  // either.
  std::expected<void, StreamStatus> open() override;
  std::expected<std::size_t, StreamStatus> read(std::span<char> into) override;
  [[nodiscard]] bool has_pending() const override;
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override;
  void finish() override;

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  friend class TlsContext;
  // The callbacks of the BIO method.
  static int receive(BIO* bio, char* into, std::size_t size, std::size_t* count);
  static int send(BIO* bio, const char* bytes, std::size_t size, std::size_t* count);
  static long control(BIO* bio, int command, long argument, void* pointer);
  // Prepares a call of OpenSSL.
  void begin_call();
  // Maps the result of an OpenSSL call. After a fatal error no close_notify is sent.
  StreamStatus status_after(int result);

  std::unique_ptr<SSL, Free> session_;
  SocketStream socket_stream_;
  std::size_t remaining_call_bytes_ = 0;  // that the call may still read from the socket
  std::size_t remaining_overhead_bytes_;  // that the peer may still send without application data
  bool peer_closed_ = false;
  bool is_plain_http_ = false;
  bool is_shutdown_disallowed_ = true;  // before the handshake, after the first SSL_shutdown, and after a fatal error
};

}  // namespace portail
