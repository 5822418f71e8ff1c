#include "native/fetch/http_client.hpp"

#include <utility>

#include <httplib.h>
#include <openssl/ssl.h>

namespace portail {

std::unique_ptr<httplib::ClientImpl> make_http_client(const Url& url, const ClientTls& tls) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (url.is_https) {
    auto secure = std::make_unique<httplib::SSLClient>(url.host, url.port);
    secure->enable_server_certificate_verification(true);
    if (!tls.ca_file.empty()) secure->set_ca_cert_path(tls.ca_file);
    auto* const context = static_cast<SSL_CTX*>(secure->tls_context());
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    if (!tls.certificate.empty()) {
      SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str());
      SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM);
    }
    client = std::move(secure);
  } else {
    client = std::make_unique<httplib::ClientImpl>(url.host, url.port);
  }
  client->set_follow_location(false);
  client->set_decompress(false);
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

}  // namespace portail
