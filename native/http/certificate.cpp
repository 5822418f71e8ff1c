#include "native/http/certificate.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "core/base/time.hpp"
#include "native/http/tls.hpp"

namespace portail {
namespace {

constexpr std::int64_t expiry_warning_period = std::int64_t{30} * 86'400 * 1'000'000;
constexpr std::size_t day_size = 10;  // 2026-12-01

}  // namespace

std::expected<void, std::string> check_validity(const TlsFile& certificate, Validity validity, Instant now) {
  if (now.seconds() > validity.end.seconds()) {
    return std::unexpected("the TLS certificate " + certificate.name + " expired at " +
                           utc_text_to_the_second(validity.end) + "; give " + certificate.setting + " a new one");
  }
  if (now.seconds() < validity.begin.seconds()) {
    return std::unexpected("the TLS certificate " + certificate.name + " is not valid before " +
                           utc_text_to_the_second(validity.begin) + ", and it is " + utc_text_to_the_second(now) +
                           "; check this machine's clock, or give " + certificate.setting + " another one");
  }
  return {};
}

std::string day_text(Instant instant) { return utc_text(instant).substr(0, day_size); }

std::optional<std::string> expiry_if_soon(Validity validity, Instant now) {
  if (validity.end.microseconds - now.microseconds > expiry_warning_period) return std::nullopt;
  return day_text(validity.end);
}

namespace {

constexpr long year = 365L * 86'400;

struct FreeMade {
  void operator()(BIO* file) const { BIO_free(file); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};

bool set_subject(X509* certificate) {
  constexpr const unsigned char name[] = "portail (development)";
  X509_NAME* const subject = X509_get_subject_name(certificate);
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1;
}

// Browsers refuse two certificates of one issuer with the same number.
bool set_random_serial(X509* certificate) {
  std::uint64_t serial = 0;
  return RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1;
}

bool set_period(X509* certificate) {
  return X509_gmtime_adj(X509_getm_notBefore(certificate), 0) && X509_gmtime_adj(X509_getm_notAfter(certificate), year);
}

bool add_extension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeMade> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

std::string pem_text(BIO* file) {
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(file, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

std::expected<SelfSignedCertificate, std::string> make_self_signed_certificate() {
  const std::unique_ptr<EVP_PKEY, FreeMade> key(EVP_EC_gen("P-256"));
  const std::unique_ptr<X509, FreeMade> made(X509_new());
  const std::unique_ptr<BIO, FreeMade> certificate_text(BIO_new(BIO_s_mem()));
  const std::unique_ptr<BIO, FreeMade> key_text(BIO_new(BIO_s_mem()));
  X509* const certificate = made.get();
  const bool good = key && certificate && certificate_text && key_text &&
                    X509_set_version(certificate, X509_VERSION_3) == 1 && set_random_serial(certificate) &&
                    set_subject(certificate) && set_period(certificate) &&
                    X509_set_pubkey(certificate, key.get()) == 1 &&
                    add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
                    add_extension(certificate, NID_subject_key_identifier, "hash") &&
                    add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
                    X509_sign(certificate, key.get(), EVP_sha256()) != 0 &&
                    PEM_write_bio_X509(certificate_text.get(), certificate) == 1 &&
                    PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1;
  if (!good) return std::unexpected(openssl_reason());
  return SelfSignedCertificate{.certificate = pem_text(certificate_text.get()), .key = pem_text(key_text.get())};
}

}  // namespace portail
