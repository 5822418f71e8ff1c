#include "native/import/checksum.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include <sodium.h>

#include "core/base/hexadecimal.hpp"
#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::size_t digits_of_sha256 = 64;

struct ChecksumLine {
  std::string checksum;
  std::string_view name;  // empty if the line has none
};

std::optional<ChecksumLine> parse_checksum_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::string_view digits = line.substr(0, digits_of_sha256);
  const auto is_digit = [](char c) { return hexadecimal_digit(c).has_value(); };
  if (digits.size() != digits_of_sha256 || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  std::string_view name = line.substr(digits_of_sha256);
  if (!name.empty() && !name.starts_with("  ") && !name.starts_with(" *")) return std::nullopt;
  name.remove_prefix(std::min<std::size_t>(name.size(), 2));
  name.remove_prefix(name.rfind('/') + 1);
  return ChecksumLine{.checksum = lower_case(digits), .name = name};
}

}  // namespace

std::optional<std::string> find_checksum(std::string_view text, std::string_view name) {
  std::optional<ChecksumLine> first;
  bool is_only_line = true;
  for (const auto range : std::views::split(text, '\n')) {
    const std::string_view line(range.begin(), range.end());
    if (line.empty()) continue;
    auto parsed = parse_checksum_line(line);
    if (parsed && parsed->name == name) return std::move(parsed->checksum);
    if (first || !parsed) is_only_line = false;
    if (!first) first = std::move(parsed);
  }
  if (!first || !is_only_line) return std::nullopt;
  return std::move(first->checksum);
}

std::expected<std::string, std::string> sha256_of(TemporaryFile& file) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  if (const auto rewound = file.rewind(); !rewound) return std::unexpected(rewound.error());
  while (true) {
    const auto bytes = file.next();
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(bytes->data()), bytes->size());
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256_final(&state, hash.data());
  return lower_hex(std::as_bytes(std::span(hash)));
}

}  // namespace portail
