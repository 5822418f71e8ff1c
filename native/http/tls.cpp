#include "native/http/tls.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>

namespace portail {
namespace {

// OpenSSL's own words for the first thing that went wrong.
std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason ? reason : "unknown error";
}

std::expected<void, std::string> check_readable(const std::string& file, const char* what, const char* flag) {
  if (std::ifstream(file).good()) return {};
  return std::unexpected(std::string("cannot read the TLS ") + what + " " + file + ": " + std::strerror(errno) +
                         "; give " + flag + " a PEM file that this user may read");
}

}  // namespace

std::expected<TlsContext, std::string> TlsContext::load(const std::string& certificate_file,
                                                        const std::string& key_file) {
  if (auto readable = check_readable(certificate_file, "certificate", "--tls-cert"); !readable) {
    return std::unexpected(readable.error());
  }
  if (auto readable = check_readable(key_file, "key", "--tls-key"); !readable) {
    return std::unexpected(readable.error());
  }
  TlsContext made;
  made.context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = made.context_.get();
  if (!context) return std::unexpected("TLS cannot be set up: " + openssl_reason());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Bytes that could not be written yet are offered again from wherever they stand then.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return std::unexpected("the TLS certificate " + certificate_file + " is not one: " + openssl_reason() +
                           "; --tls-cert takes a PEM file, the server's own certificate first");
  }
  // A key without a password only: nobody is there to type one.
  SSL_CTX_set_default_passwd_cb(context, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (SSL_CTX_check_private_key(context) != 1 && ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH) {
      ERR_clear_error();
      return std::unexpected("the TLS key " + key_file + " is not the key of the certificate " + certificate_file +
                             "; give --tls-key the one that it was made with");
    }
    return std::unexpected("the TLS key " + key_file + " cannot be used: " + openssl_reason() +
                           "; --tls-key takes a PEM file without a password");
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return std::unexpected("the TLS key " + key_file + " is not the key of the certificate " + certificate_file +
                           "; give --tls-key the one that it was made with");
  }
  return made;
}

TlsStream::TlsStream(const TlsContext& context, int socket) : session_(SSL_new(context.get())), socket_(socket) {
  if (session_) SSL_set_fd(session_.get(), socket);
}

TlsStream::~TlsStream() { ERR_clear_error(); }

Stall TlsStream::stall_after(int result) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Stall::until_readable;
    case SSL_ERROR_WANT_WRITE:
      return Stall::until_writable;
    case SSL_ERROR_ZERO_RETURN:
      return Stall::ended;
    default:
      broken_ = true;
      return Stall::ended;
  }
}

std::expected<void, Stall> TlsStream::open() {
  if (!session_) return std::unexpected(Stall::ended);
  ERR_clear_error();
  const int result = SSL_accept(session_.get());
  if (result != 1) return std::unexpected(stall_after(result));
  broken_ = false;
  return {};
}

std::expected<std::size_t, Stall> TlsStream::read(std::span<char> into) {
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &count);
  if (result == 1) return count;
  return std::unexpected(stall_after(result));
}

bool TlsStream::has_pending() const { return SSL_has_pending(session_.get()) == 1; }

std::expected<std::size_t, Stall> TlsStream::write(std::string_view bytes) {
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return count;
  return std::unexpected(stall_after(result));
}

void TlsStream::finish() {
  // Once, and never in the middle of a record. It may not wait either: what the socket has no room for is lost.
  if (!std::exchange(broken_, true)) SSL_shutdown(session_.get());
  shutdown(socket_, SHUT_WR);
}

}  // namespace portail
