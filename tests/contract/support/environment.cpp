#include "tests/contract/support/environment.hpp"

#include <cstdlib>
#include <stdexcept>

namespace portail::contract {
namespace {

Environment loaded;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::string required(const char* name) {
  auto value = variable(name);
  if (!value) throw std::runtime_error(std::string(name) + " is required (docs/reference/contract-suite.md)");
  return *value;
}

bool flag(const char* name, bool otherwise) {
  auto value = variable(name);
  return value ? *value == "1" : otherwise;
}

std::optional<BaseUrl> further_host(const char* name) {
  auto value = variable(name);
  if (!value) return std::nullopt;
  return parse_base_url(*value);
}

}  // namespace

std::string BaseUrl::authority() const {
  const std::string_view usual = tls ? "443" : "80";
  return port == usual ? host : host + ":" + port;
}

BaseUrl parse_base_url(std::string_view text) {
  BaseUrl url;
  const std::string whole(text);
  if (text.starts_with("https://")) {
    url.tls = true;
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    throw std::invalid_argument("not an http or https address: " + whole);
  }
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    url.prefix = text.substr(slash);
    while (url.prefix.ends_with('/')) url.prefix.pop_back();
    text = text.substr(0, slash);
  }
  const std::size_t colon = text.rfind(':');
  url.host = text.substr(0, colon);
  url.port = colon == std::string_view::npos ? (url.tls ? "443" : "80") : std::string(text.substr(colon + 1));
  if (url.host.empty() || url.port.empty()) throw std::invalid_argument("no host or port in " + whole);
  return url;
}

const Environment& environment() { return loaded; }

void load_environment() {
  loaded.base = parse_base_url(required("PORTAIL_CONTRACT_BASE_URL"));
  loaded.keys_file = required("PORTAIL_CONTRACT_KEYS");
  loaded.issuer = required("PORTAIL_CONTRACT_ISSUER");
  loaded.audience = required("PORTAIL_CONTRACT_AUDIENCE");
  loaded.second_audience = variable("PORTAIL_CONTRACT_SECOND_AUDIENCE");
  loaded.import_command = required("PORTAIL_CONTRACT_IMPORT");
  loaded.certificate_authority = variable("PORTAIL_CONTRACT_CA");
  loaded.record_file = variable("PORTAIL_CONTRACT_RECORD");
  loaded.allowed_origin = variable("PORTAIL_CONTRACT_ALLOWED_ORIGIN");
  loaded.allowed_domain = variable("PORTAIL_CONTRACT_ALLOWED_DOMAIN");
  loaded.may_prune = flag("PORTAIL_CONTRACT_MAY_PRUNE", false);
  loaded.large_template = flag("PORTAIL_CONTRACT_LARGE_TEMPLATE", true);
  loaded.compare_and_swap = flag("PORTAIL_CONTRACT_COMPARE_AND_SWAP", true);
  loaded.host_parses_http = flag("PORTAIL_CONTRACT_HOST_PARSES_HTTP", false);
  loaded.host_knows_methods = flag("PORTAIL_CONTRACT_HOST_KNOWS_METHODS", false);
  loaded.direct = further_host("PORTAIL_CONTRACT_DIRECT_URL");
  loaded.tenant = further_host("PORTAIL_CONTRACT_TENANT_URL");
  loaded.filtered = further_host("PORTAIL_CONTRACT_FILTERED_URL");
  loaded.forwarded = further_host("PORTAIL_CONTRACT_FORWARDED_URL");
  loaded.forwarded_untrusted = further_host("PORTAIL_CONTRACT_FORWARDED_UNTRUSTED_URL");
  loaded.loopback = further_host("PORTAIL_CONTRACT_LOOPBACK_URL");
  loaded.keyless = further_host("PORTAIL_CONTRACT_KEYLESS_URL");
  loaded.key_rules = further_host("PORTAIL_CONTRACT_KEY_RULES_URL");
  loaded.subject_claim = further_host("PORTAIL_CONTRACT_SUBJECT_CLAIM_URL");
  loaded.no_leeway = further_host("PORTAIL_CONTRACT_NO_LEEWAY_URL");
}

}  // namespace portail::contract
