#include "native/http/tls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <tuple>
#include <utility>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sslerr.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace portail {
namespace {

// TLS 1.2 suites with forward secrecy and authenticated encryption. All TLS 1.3 suites have both.
constexpr const char* tls12_suites = "ECDHE+AESGCM:ECDHE+CHACHA20";

// Two maximum records; then the worker checks other connections and the deadline.
constexpr std::size_t max_read_per_call = 32 * 1024;
// Enough for a handshake and some hundred key updates. The allowance covers application data sent as one record for
// each byte.
constexpr std::size_t max_overhead = 64 * 1024;
constexpr std::size_t overhead_allowance_per_byte = 32;

std::expected<void, std::string> check_readable(const TlsFile& file, const char* kind) {
  if (std::ifstream(file.name).good()) return {};
  return std::unexpected(std::string("cannot read the TLS ") + kind + " " + file.name + ": " + std::strerror(errno) +
                         "; give " + file.setting + " a PEM file that this user may read");
}

std::expected<void, std::string> require_client_certificates(SSL_CTX* context, const TlsFile& authorities) {
  if (auto readable = check_readable(authorities, "client authorities"); !readable) return readable;
  STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(authorities.name.c_str());
  if (!names || SSL_CTX_load_verify_file(context, authorities.name.c_str()) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return std::unexpected("the TLS client authorities " + authorities.name + " are not certificates: " +
                           openssl_reason() + "; " + authorities.setting + " must be a PEM file");
  }
  SSL_CTX_set_client_CA_list(context, names);  // takes ownership
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  return {};
}

std::string key_mismatch(const TlsFile& certificate, const TlsFile& key) {
  return "no certificate of " + certificate.name + " is of the key " + key.name + "; give " + certificate.setting +
         " the certificate of that key too, or " + key.setting + " the key of one of them";
}

struct FreePem {
  void operator()(BIO* file) const { BIO_free(file); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_STORE* authorities) const { X509_STORE_free(authorities); }
  void operator()(X509_STORE_CTX* verification) const { X509_STORE_CTX_free(verification); }
  void operator()(STACK_OF(X509) * certificates) const { sk_X509_pop_free(certificates, X509_free); }
};
using PemFile = std::unique_ptr<BIO, FreePem>;
using Certificates = std::vector<std::unique_ptr<X509, FreePem>>;
using SharedCertificates = std::unique_ptr<STACK_OF(X509), FreePem>;

// Nothing can enter a password.
int no_password(char*, int, int, void*) { return 0; }

// Returns the certificates of the file; none if one of them cannot be read, with the reason in OpenSSL's queue.
Certificates read_certificates(const std::string& file) {
  const PemFile input(BIO_new_file(file.c_str(), "r"));
  Certificates found;
  while (X509* const next = input ? PEM_read_bio_X509_AUX(input.get(), nullptr, no_password, nullptr) : nullptr) {
    found.emplace_back(next);
  }
  if (found.empty() || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) return {};
  ERR_clear_error();  // the end of the file
  return found;
}

bool is_valid_now(const X509* certificate) {
  return X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0 &&
         X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0;
}

// Moves forward the first certificate that has the property and is valid now; if none is, of those with the property
// the one that expires last. Returns false if none has the property.
template <class Property>
bool move_forward(std::span<Certificates::value_type> certificates, const Property& has_property) {
  const auto rank = [&has_property](const auto& each) {
    const bool is_valid = is_valid_now(each.get());
    const Instant end = is_valid ? Instant{} : validity_of(each.get()).value_or(Validity{}).end;
    return std::tuple(has_property(each.get()), is_valid, end.microseconds);
  };
  const auto found = std::ranges::max_element(certificates, {}, rank);
  if (found == certificates.end() || !has_property(found->get())) return false;
  std::rotate(certificates.begin(), found, found + 1);
  return true;
}

// Puts the certificate of the key first, and after each certificate its issuer, if the file has it. Returns how many of
// them clients can need: not a root, and none if no certificate is of the key.
std::size_t sort_chain(Certificates& chain, const EVP_PKEY* key) {
  const auto is_own = [key](const X509* each) { return X509_check_private_key(each, key) == 1; };
  const bool has_own = move_forward(chain, is_own);
  ERR_clear_error();
  if (!has_own) return 0;
  std::size_t count = 1;
  for (; count < chain.size(); ++count) {
    X509* const issued = chain[count - 1].get();
    const auto is_issuer = [issued](X509* each) { return X509_check_issued(each, issued) == X509_V_OK; };
    if (!move_forward(std::span(chain).subspan(count), is_issuer)) break;
    if (X509_self_signed(chain[count].get(), 0) == 1) break;
  }
  return count;
}

// Returns the chain by which a client with the system's authorities accepts the first certificate; null if it does not.
SharedCertificates verified_by_system(const Certificates& certificates) {
  const std::unique_ptr<X509_STORE, FreePem> authorities(X509_STORE_new());
  const std::unique_ptr<X509_STORE_CTX, FreePem> verification(X509_STORE_CTX_new());
  const SharedCertificates untrusted(sk_X509_new_null());
  if (!authorities || !verification || !untrusted) return nullptr;
  X509_STORE_set_default_paths(authorities.get());
  for (const auto& each : certificates) X509_add_cert(untrusted.get(), each.get(), X509_ADD_FLAG_UP_REF);
  SharedCertificates chain;
  if (X509_STORE_CTX_init(verification.get(), authorities.get(), certificates.front().get(), untrusted.get()) == 1 &&
      X509_STORE_CTX_set_default(verification.get(), "ssl_server") == 1 && X509_verify_cert(verification.get()) == 1) {
    chain.reset(X509_STORE_CTX_get1_chain(verification.get()));
  }
  ERR_clear_error();
  return chain;
}

std::optional<Instant> instant_of(const ASN1_TIME* time) {
  std::tm utc{};
  if (!time || ASN1_TIME_to_tm(time, &utc) != 1) return std::nullopt;
  return Instant{std::int64_t{timegm(&utc)} * 1'000'000};
}

}  // namespace

std::string openssl_reason(std::string_view otherwise) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  if (reason) return reason;
  return std::string(otherwise.empty() ? "unknown error" : otherwise);
}

std::optional<Validity> validity_of(const X509* certificate) {
  if (!certificate) return std::nullopt;
  const auto begin = instant_of(X509_get0_notBefore(certificate));
  const auto end = instant_of(X509_get0_notAfter(certificate));
  if (!begin || !end) return std::nullopt;
  return Validity{.begin = *begin, .end = *end};
}

bool is_needed_for(const STACK_OF(X509) * verified, const X509* certificate) {
  for (int i = 0; i < std::max(sk_X509_num(verified) - 1, 1); ++i) {
    if (X509_cmp(sk_X509_value(verified, i), certificate) == 0) return true;
  }
  return false;
}

const ChainCertificate& first_to_expire(std::span<const ChainCertificate> chain) {
  return *std::ranges::min_element(
      chain, {}, [](const auto& each) { return std::pair(!each.is_needed, each.validity.end.microseconds); });
}

std::string subject_of(const X509* certificate) {
  const PemFile text(BIO_new(BIO_s_mem()));
  if (!text) return {};
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

namespace {

// TlsContext::load() without the client authorities.
std::expected<std::vector<ChainCertificate>, std::string> load_certificate(SSL_CTX* context, const TlsFile& certificate,
                                                                           const TlsFile& key) {
  if (auto readable = check_readable(certificate, "certificate"); !readable) return std::unexpected(readable.error());
  if (auto readable = check_readable(key, "key"); !readable) return std::unexpected(readable.error());
  ERR_clear_error();
  const auto unusable = [&certificate](const std::string& name, const std::string& reason) {
    return std::unexpected("the TLS certificate " + name + " " + reason + "; " + certificate.setting +
                           " must be a PEM file of a certificate and those that sign it");
  };
  Certificates certificates = read_certificates(certificate.name);
  if (certificates.empty()) return unusable(certificate.name, "is not one: " + openssl_reason());
  const PemFile key_file(BIO_new_file(key.name.c_str(), "r"));
  const std::unique_ptr<EVP_PKEY, FreePem> private_key(
      key_file ? PEM_read_bio_PrivateKey(key_file.get(), nullptr, no_password, nullptr) : nullptr);
  if (!private_key) {
    return std::unexpected("the TLS key " + key.name + " cannot be used: " + openssl_reason() + "; " + key.setting +
                           " must be a PEM file without a password");
  }
  const std::size_t needed = sort_chain(certificates, private_key.get());
  if (needed == 0) return std::unexpected(key_mismatch(certificate, key));
  const SharedCertificates verified = verified_by_system(certificates);
  bool is_accepted = SSL_CTX_use_certificate(context, certificates.front().get()) == 1 &&
                     SSL_CTX_use_PrivateKey(context, private_key.get()) == 1 && SSL_CTX_clear_chain_certs(context) == 1;
  std::vector<ChainCertificate> chain;
  for (const auto& each : certificates) {
    const bool is_own = each == certificates.front();
    const std::string name = certificate.name + (is_own ? "" : " (" + subject_of(each.get()) + ")");
    is_accepted = is_accepted && (is_own || SSL_CTX_add1_chain_cert(context, each.get()) == 1);
    if (!is_accepted) return unusable(name, "is not one: " + openssl_reason());
    const auto validity = validity_of(each.get());
    if (!validity) return unusable(name, "does not say when it is valid");
    const bool is_needed = verified ? is_needed_for(verified.get(), each.get()) : chain.size() < needed;
    chain.push_back({.name = name, .validity = *validity, .is_needed = is_needed});
  }
  return chain;
}

}  // namespace

std::expected<TlsContext, std::string> TlsContext::load(const TlsFile& certificate, const TlsFile& key,
                                                        const std::optional<TlsFile>& client_authorities) {
  TlsContext result;
  result.context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = result.context_.get();
  if (!context) return std::unexpected("TLS cannot be set up: " + openssl_reason());
  static const int socket_type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK;  // a process can have 127
  result.socket_method_.reset(BIO_meth_new(socket_type, "socket"));
  BIO_METHOD* method = result.socket_method_.get();
  if (!method) return std::unexpected("TLS cannot be set up: " + openssl_reason());
  BIO_meth_set_read_ex(method, &TlsStream::receive);
  BIO_meth_set_write_ex(method, &TlsStream::send);
  BIO_meth_set_ctrl(method, &TlsStream::control);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, tls12_suites);
  SSL_CTX_set_options(context,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // A write may be retried from a different buffer address.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  auto chain = load_certificate(context, certificate, key);
  if (!chain) return std::unexpected(std::move(chain.error()));
  result.chain_ = std::move(*chain);
  if (client_authorities) {
    auto required = require_client_certificates(context, *client_authorities);
    if (!required) return std::unexpected(std::move(required.error()));
  }
  return result;
}

std::string TlsContext::chain_in_pem() const {
  const PemFile text(BIO_new(BIO_s_mem()));
  if (!text) return {};
  STACK_OF(X509)* issuers = nullptr;
  SSL_CTX_get0_chain_certs(get(), &issuers);
  PEM_write_bio_X509(text.get(), SSL_CTX_get0_certificate(get()));
  for (int i = 0; i < sk_X509_num(issuers); ++i) PEM_write_bio_X509(text.get(), sk_X509_value(issuers, i));
  const char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

TlsStream::TlsStream(const TlsContext& context, int socket)
    : session_(SSL_new(context.get())), socket_stream_(socket), remaining_overhead_bytes_(max_overhead) {
  BIO* const bio = session_ ? BIO_new(context.socket_method()) : nullptr;
  if (!bio) {
    session_.reset();
    return;
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(session_.get(), bio, bio);
}

TlsStream::~TlsStream() { ERR_clear_error(); }

int TlsStream::receive(BIO* bio, char* into, std::size_t size, std::size_t* count) {
  auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (stream.remaining_overhead_bytes_ == 0) return 0;
  const std::size_t max = std::min({size, stream.remaining_call_bytes_, stream.remaining_overhead_bytes_});
  const auto read = max == 0 ? std::unexpected(StreamStatus::want_read) : stream.socket_stream_.read({into, max});
  if (!read) {
    stream.peer_closed_ = read.error() == StreamStatus::closed;
    if (!stream.peer_closed_) BIO_set_retry_read(bio);
    return 0;
  }
  stream.remaining_call_bytes_ -= *read;
  stream.remaining_overhead_bytes_ -= *read;
  *count = *read;
  return 1;
}

int TlsStream::send(BIO* bio, const char* bytes, std::size_t size, std::size_t* count) {
  auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const auto written = stream.socket_stream_.write({bytes, size});
  if (!written) {
    if (written.error() != StreamStatus::closed) BIO_set_retry_write(bio);
    return 0;
  }
  *count = *written;
  return 1;
}

long TlsStream::control(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return static_cast<TlsStream*>(BIO_get_data(bio))->peer_closed_ ? 1 : 0;
    default:
      return 0;
  }
}

void TlsStream::begin_call() {
  ERR_clear_error();
  remaining_call_bytes_ = max_read_per_call;
}

StreamStatus TlsStream::status_after(int result) {
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return StreamStatus::want_read;
    case SSL_ERROR_WANT_WRITE:
      return StreamStatus::want_write;
    case SSL_ERROR_ZERO_RETURN:
      return StreamStatus::closed;
    default:
      is_shutdown_disallowed_ = true;
      return StreamStatus::closed;
  }
}

std::expected<void, StreamStatus> TlsStream::open() {
  if (!session_) return std::unexpected(StreamStatus::closed);
  begin_call();
  const int result = SSL_accept(session_.get());
  if (result == 1) {
    is_shutdown_disallowed_ = false;
    remaining_overhead_bytes_ = max_overhead;
    return {};
  }
  const StreamStatus status = status_after(result);
  if (status == StreamStatus::closed && ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) {
    is_plain_http_ = true;
    return std::unexpected(StreamStatus::plain_http);
  }
  return std::unexpected(status);
}

std::expected<std::size_t, StreamStatus> TlsStream::read(std::span<char> into) {
  if (is_plain_http_) return socket_stream_.read(into);
  begin_call();
  std::size_t count = 0;
  const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &count);
  if (result != 1) return std::unexpected(status_after(result));
  remaining_overhead_bytes_ =
      std::min(max_overhead, remaining_overhead_bytes_ + count * (1 + overhead_allowance_per_byte));
  return count;
}

bool TlsStream::has_pending() const { return !is_plain_http_ && SSL_has_pending(session_.get()) == 1; }

std::expected<std::size_t, StreamStatus> TlsStream::write(std::string_view bytes) {
  if (is_plain_http_) return socket_stream_.write(bytes);
  begin_call();
  std::size_t count = 0;
  const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return count;
  return std::unexpected(status_after(result));
}

void TlsStream::finish() {
  // At most once, never in the middle of a record, and without waiting: bytes that do not fit into the socket are lost.
  if (!std::exchange(is_shutdown_disallowed_, true)) {
    begin_call();
    SSL_shutdown(session_.get());
  }
  socket_stream_.finish();
}

}  // namespace portail
