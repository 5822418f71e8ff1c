#include "native/fetch/http_client.hpp"

#include <utility>

#include <httplib.h>
#include <openssl/ssl.h>

namespace portail {

std::unique_ptr<httplib::ClientImpl> make_http_client(const Url& url, const std::string& ca_file) {
  std::unique_ptr<httplib::ClientImpl> client;
  if (url.is_https) {
    auto secure = std::make_unique<httplib::SSLClient>(url.host, url.port);
    secure->enable_server_certificate_verification(true);
    if (!ca_file.empty()) secure->set_ca_cert_path(ca_file);
    SSL_CTX_set_min_proto_version(static_cast<SSL_CTX*>(secure->tls_context()), TLS1_2_VERSION);
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
