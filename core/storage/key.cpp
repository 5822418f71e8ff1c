#include "core/storage/key.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::string_view hash_mark = "=h";

constexpr bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string encode(std::string_view identifier) {
  if (identifier.empty()) return "=";
  std::string encoded;
  for (char c : identifier) {
    if (stands_for_itself(c)) {
      encoded += c;
    } else {
      encoded += '=';
      append_capital_hex(encoded, std::byte(c));
    }
    if (encoded.size() > longest_encoded_part) return std::string(hash_mark) + lower_hex(blake2b(identifier));
  }
  return encoded;
}

std::string numbered(std::string key, std::uint32_t part) {
  key += '.';
  key += std::to_string(part);
  return key;
}

std::string named(std::string_view prefix, std::string_view identifier) {
  return std::string(prefix) + encode(identifier);
}

}  // namespace

std::string catalogue_key(std::uint32_t part) { return std::string(catalogue_prefix) + std::to_string(part); }
std::string template_key(std::uint64_t object_id, std::uint32_t part) {
  return numbered(std::string(template_prefix) + std::to_string(object_id), part);
}
std::string bundle_key(std::string_view id) { return named(bundle_prefix, id); }
std::string third_party_key(std::string_view number) { return named(third_party_prefix, number); }
std::string user_index_key(std::string_view sub, std::uint32_t part) {
  return numbered(named(user_index_prefix, sub), part);
}
std::string manager_index_key(std::string_view sub, std::uint32_t part) {
  return numbered(named(manager_index_prefix, sub), part);
}
std::string consultation_key(std::string_view sub, std::uint32_t part) {
  return numbered(named(consultation_prefix, sub), part);
}

}  // namespace portail
