#include "tests/contract/support/rsa_and_ec_keys.hpp"

#include <memory>
#include <stdexcept>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace portail::contract {
namespace {

template <auto free>
struct Deleter {
  void operator()(auto* object) const { free(object); }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Number = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Deleter<ECDSA_SIG_free>>;

constexpr std::size_t p256_bytes = 32;

const unsigned char* octets(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* octets(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void require(bool fine) {
  if (!fine) throw std::runtime_error("OpenSSL refused a key or a signature of the suite");
}

Key load(std::string_view pem) {
  const Bio file(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr));
  require(key != nullptr);
  return key;
}

std::string number(const EVP_PKEY* key, const char* name) {
  BIGNUM* found = nullptr;
  require(EVP_PKEY_get_bn_param(key, name, &found) == 1);
  const Number owned(found);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(found)), '\0');
  BN_bn2bin(found, octets(bytes));
  return bytes;
}

// RFC 7518 section 3.4: R and S side by side, not the DER of X9.62.
std::string side_by_side(std::string_view der) {
  const unsigned char* at = octets(der);
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  require(signature != nullptr);
  std::string bytes(2 * p256_bytes, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), octets(bytes), p256_bytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), octets(bytes) + p256_bytes, p256_bytes);
  return bytes;
}

std::string sign(std::string_view algorithm, std::string_view pem, std::string_view message) {
  const Key key = load(pem);
  const Digest digest(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  require(EVP_DigestSignInit(digest.get(), &options, EVP_sha256(), nullptr, key.get()) == 1);
  if (algorithm == "PS256") {
    require(EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1);
    require(EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  std::size_t length = 0;
  require(EVP_DigestSign(digest.get(), nullptr, &length, octets(message), message.size()) == 1);
  std::string bytes(length, '\0');
  require(EVP_DigestSign(digest.get(), octets(bytes), &length, octets(message), message.size()) == 1);
  bytes.resize(length);
  return bytes;
}

}  // namespace

std::string rsa_or_ec_signature(std::string_view algorithm, std::string_view pem, std::string_view message) {
  const std::string bytes = sign(algorithm, pem, message);
  return algorithm == "ES256" ? side_by_side(bytes) : bytes;
}

std::string der_signature(std::string_view pem, std::string_view message) { return sign("ES256", pem, message); }

RsaNumbers rsa_numbers(std::string_view pem) {
  const Key key = load(pem);
  return {.modulus = number(key.get(), OSSL_PKEY_PARAM_RSA_N), .exponent = number(key.get(), OSSL_PKEY_PARAM_RSA_E)};
}

EcPoint ec_point(std::string_view pem) {
  const Key key = load(pem);
  unsigned char point[1 + 2 * p256_bytes];
  std::size_t length = 0;
  require(EVP_PKEY_get_octet_string_param(key.get(), OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &length) == 1);
  require(length == sizeof point);
  const std::string bytes(reinterpret_cast<const char*>(point), length);
  return {.x = bytes.substr(1, p256_bytes), .y = bytes.substr(1 + p256_bytes)};
}

std::string signature_under_exponent_one(std::size_t modulus_bytes, std::string_view message) {
  unsigned char hash[32];
  require(EVP_Digest(message.data(), message.size(), hash, nullptr, EVP_sha256(), nullptr) == 1);
  // DER of DigestInfo with SHA-256, RFC 8017 section 9.2 note 1.
  const std::string prefix("\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20", 19);
  const std::string tail = '\0' + prefix + std::string(reinterpret_cast<char*>(hash), sizeof hash);
  return std::string("\0\1", 2) + std::string(modulus_bytes - 2 - tail.size(), '\xff') + tail;
}

const std::string_view ec_pem = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6ug8V0hFYg6gFSfT
XCdE5LO7I75oUZ4ZLEy1YRnoSOihRANCAAQlpgnkp5U0xq73hHX4qX/feaxaJfXW
/l+M952U/M62CrlcJSNur7XAZkLsM6kPkmVtmc73oqg49q7e+IAI/NMu
-----END PRIVATE KEY-----
)";

const std::string_view rsa_pem = R"(-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQChqTlL1+N7lQxF
eg1vXcCdAuG/waon5cIzKh6O4JLbk647ki1x53p37lOYb9e3PnNYQOPL1fh1SlKR
1TI/2A2ceOMC3Wp/XhtJqrowaSaIYEm6yCbkloTm6cVWt4BH+AfbeaBDvKn6mYgR
XM9/7BBNGOoghfrUkZDCeyJPnjO/3PJiNFB6tYC6WSIIBoxh1iKCFBgJcWm9H50g
r90k6IsBO6NgPKMYEXlfNzVm/Tg+F/J7p5eC+FEd4cfNiAPWLFGSYBccZkHhGpnn
p+lD/l5f0MEwoje6+6aSQXkHPulDbRFeTRngYwg+QDG1mo739uW0X46vx4TQM0te
vLGYNToBAgMBAAECggEAAS9EhngBSH9N3Pd5QDrrZasm/Nj+NnciTm4tVaYzJU1G
flTCpP5JgTX7olcVeVgJj9i/4pdBkBh4lO1/RgT/Com/Ph7hwCewIwDPhvnKSL8N
40LCuDObKzcE1W8YT06zvgm84Soxg67a1qe7tIgGEY6QbqcUsLiVWzt8Q6GY5vvE
RncULg6h6qgVVwTFnkBOstUc5I9uPAB4+RKZyap9svQPIOMr28tbQOmt9GLMvpD1
EF0EAulDwvWnRnaGj5eARsUGl4aftNxgWYhObHpLbXizr4iLoQ8Uak+dOy7tWjWx
gnMk9J8RTYaW43HIMea6khDUOJIRmqhK/q0JhR9FrQKBgQDQJ4AbAxL7w6IAq5Zm
bAvsNAn/L2j+MhvLYKNghi4ymP4R1s/4WMUHZHdPB8EXhLOcslQKw9OILgjF2bNO
1jNEvMkVsgx30Wzbzv0/PFNmTfrHlx/iW8GBaXr5jbWWujoi7JU8FY7cqWOdWo4F
uvqVhDwzrGk6Q6Z9myAbHggI1QKBgQDG0ecr7t9vWqnOSIWqAyfsZu1TQyOVBix6
cC81tvdzwYXjH3P/p5ilitf1Qz9BtjgnxdGvKvC4SumKWkiiR8ThgzR2yx5c7R6B
PkwR9Sk4bXPPGKcpNLzkDSyOPeIOobHyw/5Huo7p1Sb8jMx+vvVmBQOef4yS7I4O
Ja1GTPpCfQKBgAvNcZIWhokH+rOXBxwfnD10Zey2P3nKVZEelaTvdscfrahNSdWH
EwTsSWeNxQEUYSrNYb6KhAAAvDabtXMO6jFHkw9L3TEeCtIb1ngzb3cpjMKsav5m
vX4dAQANbPJy9MDuMTgK8OLKJ//QFqV0iKjZqqAzcnP/Sf1tQlDHTyVRAoGAf1oW
pIqG7nH5kNvdWnBZE1E+tXWtBhkFRowzgUmoqaoNU9Vi3SCCY49TE5Q2oaXRxJAu
5vAvbyz0+R0pp2EnWHhNk8Y5tbZhMtIvsdUCyVU6uC4HbRqN39ocbyRud4bVUDaA
23tBbcCOD3k0x/8Te3y8u7rh1X7W43L40a4fI5UCgYEAnRlqQvrVKc4wi4Y0jpdw
U7Tb2kyYz45X0GBr7AUsGnc3AfqUE3TOWsReKtmBcSWZiLx9oTx2FrbF0WTA+NFD
K3i+wgVRjycuUw9l2bVfQ3WZCDmB+wJ0Y8pdef5VF6hPX/BGcLxkuK9+Cl3nJpoI
FfHDLERLfcXBFXet819BG8k=
-----END PRIVATE KEY-----
)";

const std::string_view short_rsa_pem = R"(-----BEGIN PRIVATE KEY-----
MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAN97ZArfpum/sVlY
Hxs+Rx0slSuhhzbrmi3pAUaLKjE3pLScch71Dzd8lzjmcu+s4sl5hbWRCOqYq289
ED8XkgKgfWGo7fL/4yKtVrmqLE4mlCEcPjcU4BJGUkZyf4/8xB+c3BdEAz7f4Urv
hh9w+9D+VJ3xt24QnFp0gLOKA5nfAgMBAAECgYAVq65oy4Uw93CoHD5v8tsMfi08
3N3yumfp+cUw5P/DZATpqp36WIMQO1min94XValsJgeMMrMtpH5DPCWeKJf00NHo
l3Ni/AZc11gMUasJhjIg2HSyRCeNgdqGmI8pRv9z1SHnZpBFS6jWRhCd5Yp/0cyW
qv2l8ZhcOo4KrdzkAQJBAPopYZ1Ce+7Xt64+iKL0lHXwnufgkBj4lDIg/KkRwRLf
MnNJ/Ly3gul6DxilP/wGqAvC7UvU4hca/nD6jMQgWgECQQDkspvjEK3qcHQnD1fA
d0jY5UobU/7ZBrnDJC2Vy6y/PsPO51ydTcEKf88ovQW4Nvfe2qoZSKCMsCKnYqcJ
5zPfAkBwxcbjhd0oxsZfHoGqNGfY4yg/j9Rl7WmhT42XChHn2AZ+QpRU3sV9SzET
AyvdCYMoCi+/R7DEib66X7ilkZABAkA9ZHkWfm7BhYiYx7Sd1Se4Ge1H4seCCR0q
9nZKRQ/NkxLLYy5oh+vvXpoE7KExb4ggygBpoyZ+PfY/iusebHNvAkEAuCpMM/sO
LF4wjAz7uqmB2JN/7eLX3hfiGjC1IMcZa+nXpXdGHu5rWFh2DgVMZQw+5aKmqRh4
wjxqVKOQkCuXVg==
-----END PRIVATE KEY-----
)";

}  // namespace portail::contract
