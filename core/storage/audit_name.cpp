#include "core/storage/audit_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::string_view line_prefix = "audit\t";
constexpr std::size_t part_digits = 16;  // of TIME and of ID
constexpr std::size_t key_size = audit_prefix.size() + 2 * part_digits + 1;
constexpr std::int64_t max_time = 9'999'999'999'999'999;
static_assert(line_prefix.size() + key_size + 1 == audit_line_size);

void append_padded(std::string& out, std::uint64_t value, int base) {
  char digits[part_digits];
  const auto end = std::to_chars(digits, digits + part_digits, value, base).ptr;
  out.append(part_digits - static_cast<std::size_t>(end - digits), '0').append(digits, end);
}

}  // namespace

std::string audit_key(AuditName name) {
  std::string key(audit_prefix);
  key.reserve(key_size);
  append_padded(key, static_cast<std::uint64_t>(name.time), 10);
  key += '.';
  append_padded(key, name.id, 16);
  return key;
}

std::optional<AuditName> audit_name_of(std::string_view key) {
  if (key.size() != key_size || !key.starts_with(audit_prefix)) return std::nullopt;
  AuditName name;
  const char* const time = key.data() + audit_prefix.size();
  std::from_chars(time, time + part_digits, name.time);
  std::from_chars(time + part_digits + 1, key.data() + key.size(), name.id, 16);
  if (name.time < 0 || audit_key(name) != key) return std::nullopt;
  return name;
}

AuditName next_audit_name(Context& context, std::optional<AuditName> previous) {
  std::array<std::byte, 8> bytes;
  context.random.fill(bytes);
  AuditName name;
  for (const std::byte byte : bytes) name.id = name.id << 8 | std::to_integer<std::uint64_t>(byte);
  const std::int64_t min_time = previous ? previous->time + 1 : 0;
  name.time = std::clamp(std::max(context.clock.now().microseconds, min_time), std::int64_t{0}, max_time);
  return name;
}

Result<AuditedValue> read_audited_value(std::string_view value) {
  if (!value.starts_with(line_prefix)) return AuditedValue{.last = std::nullopt, .last_key = {}, .content = value};
  const std::string_view key = value.substr(line_prefix.size(), key_size);
  const auto last = audit_name_of(key);
  if (!last || value.size() < audit_line_size || value[audit_line_size - 1] != '\n') {
    return std::unexpected(Failure::corrupt);
  }
  return AuditedValue{.last = last, .last_key = key, .content = value.substr(audit_line_size)};
}

std::string audit_line(AuditName last) {
  std::string line(line_prefix);
  line += audit_key(last);
  line += '\n';
  return line;
}

}  // namespace portail
