// TLS on the server's side, by OpenSSL: the certificate that connections are answered with, and a connection under it.
// What a peer makes OpenSSL read beside application data (handshakes, key updates, refused renegotiations, empty
// records) is bounded, in one call and over the connection's life.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "core/base/time.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/socket_stream.hpp"

namespace portail {

// A PEM file, and what the operator knows the setting by that names it: "--tls-cert", "PORTAIL_TLS_CERT".
struct TlsFile {
  std::string name;
  std::string setting;
};

// RFC 5280, 4.1.2.5: from the first instant to the last, both included.
struct Validity {
  Instant begin;
  Instant end;
};

// A certificate with its key; TLS 1.3, or 1.2 with forward secrecy and authenticated encryption. Immutable; any thread.
class TlsContext {
 public:
  // The certificate with the chain that leads to its authority, and its key without a password. An error is one line
  // for the operator, which names the setting. Whether the certificate is valid now is not asked.
  static std::expected<TlsContext, std::string> load(const TlsFile& certificate, const TlsFile& key);

  [[nodiscard]] SSL_CTX* get() const { return context_.get(); }
  // Of the server's own certificate.
  [[nodiscard]] Validity validity() const { return validity_; }
  // How a TlsStream reads and writes its socket.
  [[nodiscard]] const BIO_METHOD* socket_method() const { return socket_method_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<BIO_METHOD, Free> socket_method_;
  Validity validity_;
};

class TlsStream final : public ByteStream {
 public:
  // The context and the socket, which does not block, outlive the stream.
  TlsStream(const TlsContext& context, int socket);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Stall::in_clear where the peer speaks HTTP instead of TLS: then it is read and written in clear.
  std::expected<void, Stall> open() override;
  std::expected<std::size_t, Stall> read(std::span<char> into) override;
  [[nodiscard]] bool has_pending() const override;
  std::expected<std::size_t, Stall> write(std::string_view bytes) override;
  void finish() override;

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  friend class TlsContext;
  // What OpenSSL calls to read and write the socket.
  static int receive(BIO* bio, char* into, std::size_t size, std::size_t* count);
  static int send(BIO* bio, const char* bytes, std::size_t size, std::size_t* count);
  static long control(BIO* bio, int command, long argument, void* pointer);
  // Before each call of OpenSSL.
  void begin_call();
  // What OpenSSL makes of the last call; a fatal error leaves the session without an orderly end.
  Stall stall_after(int result);

  std::unique_ptr<SSL, Free> session_;
  SocketStream socket_stream_;
  std::size_t left_of_call_ = 0;  // bytes that the call may still read from the socket
  std::size_t left_of_overhead_;  // bytes that the peer may still send without application data
  bool peer_has_ended_ = false;
  bool in_clear_ = false;
  bool broken_ = true;  // no orderly end can be said: not yet, not again, not after a fatal error
};

}  // namespace portail
