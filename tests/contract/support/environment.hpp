// The address and the settings of the host under test, read once from PORTAIL_CONTRACT_*
// (docs/reference/contract-suite.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portail::contract {

struct BaseUrl {
  bool tls = false;
  std::string host;
  std::string port;
  std::string prefix;  // path before every target, without a trailing slash; usually empty

  std::string authority() const;  // value of the Host header
};

// "https://host:port/prefix"; throws std::invalid_argument for anything else.
BaseUrl parse_base_url(std::string_view text);

struct Environment {
  BaseUrl base;
  std::string keys_file;  // private JWK set: one EdDSA and one HS256 key
  std::string issuer;
  std::string audience;
  std::optional<std::string> second_audience;        // if the host has two
  std::string import_command;                        // the document's file name is appended
  std::optional<std::string> certificate_authority;  // PEM file; absent: certificates are not verified
  std::optional<std::string> record_file;            // to which each exchange is appended

  std::optional<std::string> allowed_origin;  // configured exactly, such as https://portail.exemple.fr
  std::optional<std::string> allowed_domain;  // configured as https://*.DOMAIN

  bool may_prune = false;           // the store is used by the suite only: `--prune` may remove everything else
  bool large_template = true;       // templates over 256 KiB are supported
  bool compare_and_swap = true;     // the store supports it: of two concurrent PUTs one wins
  bool host_parses_http = false;    // a front end of another vendor answers malformed HTTP
  bool host_knows_methods = false;  // … and refuses unknown methods

  // The same store under another setting. A case whose host is absent is skipped, naming the variable.
  std::optional<BaseUrl> direct;               // terminates TLS itself
  std::optional<BaseUrl> tenant;               // PORTAIL_TENANT=contract-tenant
  std::optional<BaseUrl> filtered;             // PORTAIL_FILTER_LISTS=1
  std::optional<BaseUrl> forwarded;            // transport forwarded; trusts this client's forwarding headers
  std::optional<BaseUrl> forwarded_untrusted;  // transport forwarded; does not trust them
  std::optional<BaseUrl> loopback;             // transport loopback
  std::optional<BaseUrl> keyless;              // every key of its set is refused
  std::optional<BaseUrl> key_rules;            // the set that `portail_contract --print-key-rules` prints
  std::optional<BaseUrl> subject_claim;        // PORTAIL_SUBJECT_CLAIM=oid
  std::optional<BaseUrl> no_leeway;            // leeway 0
};

inline constexpr std::string_view contract_tenant = "contract-tenant";
inline constexpr std::string_view contract_subject_claim = "oid";

// Set by main before any test runs; constant afterwards.
const Environment& environment();
void load_environment();  // throws std::runtime_error naming the variable that is missing or wrong

}  // namespace portail::contract

// Skips the test, naming the variable, if the host is absent.
#define PORTAIL_REQUIRE(setting, variable) \
  if (!(setting)) GTEST_SKIP() << variable << " is not set"
