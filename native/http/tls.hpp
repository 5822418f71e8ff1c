// TLS on the server's side, by OpenSSL: the certificate that connections are answered with, and a connection under it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "native/http/byte_stream.hpp"

namespace portail {

// A certificate with its key, TLS 1.2 or later. Immutable; any thread.
class TlsContext {
 public:
  // PEM files: the certificate with the chain that leads to its authority, and its key without a password. An error is
  // one line for the operator.
  static std::expected<TlsContext, std::string> load(const std::string& certificate_file, const std::string& key_file);

  [[nodiscard]] SSL_CTX* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

class TlsStream final : public ByteStream {
 public:
  // The context and the socket, which does not block, outlive the stream.
  TlsStream(const TlsContext& context, int socket);
  ~TlsStream() override;

  std::expected<void, Stall> open() override;
  std::expected<std::size_t, Stall> read(std::span<char> into) override;
  [[nodiscard]] bool has_pending() const override;
  std::expected<std::size_t, Stall> write(std::string_view bytes) override;
  void finish() override;

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  // What OpenSSL makes of the last call; a fatal error leaves the session without an orderly end.
  Stall stall_after(int result);

  std::unique_ptr<SSL, Free> session_;
  int socket_;
  bool broken_ = true;  // no orderly end can be said: not yet, not again, not after a fatal error
};

}  // namespace portail
