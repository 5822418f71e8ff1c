// A key set with keys that the service must accept and keys that it must refuse (docs/reference/contract.md, "Tokens:
// keys refused"), the same on every run. A host is started with the output of `portail_contract --print-key-rules`.
// These keys protect nothing.
#pragma once

#include <string>

#include "tests/contract/support/tokens.hpp"

namespace portail::contract {

std::string key_rules_set();  // a JWK set, as JSON

// The key of that name ("good-eddsa"), for signing; its kid is the name.
SigningKey rule_key_eddsa(std::string_view name);
SigningKey rule_key_hs256(std::string_view name);
// The same RSA key (of 2048 bits), or the same key on P-256, under each of the names.
SigningKey rule_key_rsa(std::string_view algorithm, std::string_view name);
SigningKey rule_key_es256(std::string_view name);
// An RSA key of 1024 bits.
SigningKey rule_key_short_rsa();

}  // namespace portail::contract
