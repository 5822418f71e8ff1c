// A TLS client in the same thread as a TlsStream, with a generated certificate. One thread.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "native/http/tls.hpp"

namespace portail {

struct OpenSslDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <class T>
using OpenSsl = std::unique_ptr<T, OpenSslDeleter>;

// Returns a server context with a self-signed P-256 certificate.
inline TlsContext server_context() {
  const OpenSsl<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const OpenSsl<X509> certificate(X509_new());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86'400);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  std::string folder = (std::filesystem::temp_directory_path() / "portail-tls-XXXXXX").string();
  if (!mkdtemp(folder.data())) std::abort();
  const std::string certificate_file = folder + "/certificate.pem";
  const std::string key_file = folder + "/key.pem";
  PEM_write_X509(OpenSsl<std::FILE>(std::fopen(certificate_file.c_str(), "w")).get(), certificate.get());
  PEM_write_PrivateKey(OpenSsl<std::FILE>(std::fopen(key_file.c_str(), "w")).get(), key.get(), nullptr, nullptr, 0,
                       nullptr, nullptr);
  auto context = TlsContext::load({certificate_file, "--tls-cert"}, {key_file, "--tls-key"});
  std::filesystem::remove_all(folder);
  if (!context) std::abort();
  return std::move(*context);
}

// A non-blocking connection between a scripted client and the stream under test.
class TlsPair {
 public:
  explicit TlsPair(const TlsContext& context, int version = TLS1_3_VERSION, const char* suites = nullptr)
      : sockets_(socket_pair()),
        server(context, sockets_[1]),
        client_context_(SSL_CTX_new(TLS_client_method())),
        client_(SSL_new(client_context_.get())) {
    SSL_set_min_proto_version(client(), version);
    SSL_set_max_proto_version(client(), version);
    SSL_set_security_level(client(), 0);
    if (suites) SSL_set_cipher_list(client(), suites);
    SSL_set_bio(client(), BIO_new_socket(sockets_[0], BIO_NOCLOSE), BIO_new(BIO_s_mem()));
  }
  TlsPair(const TlsPair&) = delete;
  TlsPair& operator=(const TlsPair&) = delete;
  ~TlsPair() {
    client_.reset();
    for (const int socket : sockets_) close(socket);
  }

  // Returns false if the handshake fails.
  bool handshake() {
    for (int round = 0; round < 20; ++round) {
      const int connected = SSL_connect(client());
      deliver();
      if (connected != 1 && SSL_get_error(client(), connected) != SSL_ERROR_WANT_READ) return false;
      const auto opened = server.open();
      if (opened && connected == 1) return true;
      if (!opened && opened.error() == StreamStatus::closed) return false;
    }
    return false;
  }

  [[nodiscard]] SSL* client() const { return client_.get(); }
  [[nodiscard]] int client_socket() const { return sockets_[0]; }
  // Sends all pending bytes of the client to the server's socket.
  void deliver() const {
    const char* bytes = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(client()), &bytes);
    if (size > 0 && send(sockets_[0], bytes, static_cast<std::size_t>(size), 0) != size) std::abort();
    BIO_reset(SSL_get_wbio(client()));
  }
  // Returns the number of bytes that the client has sent and the server has not read.
  [[nodiscard]] std::size_t unread() const {
    std::array<char, 1 << 20> peeked;
    const ssize_t count = recv(sockets_[1], peeked.data(), peeked.size(), MSG_PEEK);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }

 private:
  static std::array<int, 2> socket_pair() {
    std::array<int, 2> sockets{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets.data()) != 0) std::abort();
    return sockets;
  }
  std::array<int, 2> sockets_;

 public:
  TlsStream server;

 private:
  OpenSsl<SSL_CTX> client_context_;
  OpenSsl<SSL> client_;
};

}  // namespace portail
