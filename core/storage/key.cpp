#include "core/storage/key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::string_view hash_prefix = "=h";
constexpr std::size_t reserved_for_part = 8;  // bytes: a dot and a number

constexpr bool is_unescaped(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

std::string with_part(std::string key, std::uint32_t part) {
  key += '.';
  key += std::to_string(part);
  return key;
}

}  // namespace

std::string entity_key(std::string_view prefix, std::string_view id) {
  std::string key;
  key.reserve(prefix.size() + std::min(3 * id.size(), max_encoded_part) + reserved_for_part);
  key += prefix;
  if (id.empty()) key += '=';
  for (char c : id) {
    if (is_unescaped(c)) {
      key += c;
    } else {
      key += '=';
      append_capital_hex(key, std::byte(c));
    }
    if (key.size() - prefix.size() > max_encoded_part) {
      key.resize(prefix.size());
      append_all(key, {hash_prefix, lower_hex(blake2b(id))});
      break;
    }
  }
  return key;
}

bool is_volatile_key(std::string_view key) {
  constexpr std::array prefixes{consultation_prefix, audit_prefix, config_prefix};
  return std::ranges::any_of(prefixes, [key](std::string_view prefix) { return key.starts_with(prefix); });
}

std::string catalogue_key(std::uint32_t part) { return std::string(catalogue_prefix) + std::to_string(part); }
std::string template_key(std::uint64_t object_id, std::uint32_t part) {
  return with_part(std::string(template_prefix) + std::to_string(object_id), part);
}
std::string template_deposit_key(std::uint64_t object_id, std::uint32_t part) {
  return with_part(std::string(template_deposit_prefix) + std::to_string(object_id), part);
}
std::string person_key(std::string_view prefix, std::string_view sub, std::uint32_t part) {
  return with_part(entity_key(prefix, sub), part);
}

}  // namespace portail
