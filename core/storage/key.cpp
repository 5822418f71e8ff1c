#include "core/storage/key.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/hexadecimal.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::string_view hash_mark = "=h";
constexpr std::size_t room_for_part = 8;  // a dot and its number

constexpr bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// The prefix, and the identifier spelled out of the characters that a key may have.
std::string named(std::string_view prefix, std::string_view identifier) {
  std::string key;
  key.reserve(prefix.size() + std::min(3 * identifier.size(), longest_encoded_part) + room_for_part);
  key += prefix;
  if (identifier.empty()) key += '=';
  for (char c : identifier) {
    if (stands_for_itself(c)) {
      key += c;
    } else {
      key += '=';
      append_capital_hex(key, std::byte(c));
    }
    if (key.size() - prefix.size() > longest_encoded_part) {
      key.resize(prefix.size());
      append_all(key, {hash_mark, lower_hex(blake2b(identifier))});
      break;
    }
  }
  return key;
}

std::string numbered(std::string key, std::uint32_t part) {
  key += '.';
  key += std::to_string(part);
  return key;
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
