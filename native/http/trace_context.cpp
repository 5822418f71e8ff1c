#include "native/http/trace_context.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::string_view field = "traceparent";
constexpr std::string_view supported_version = "00";
constexpr std::string_view invalid_version = "ff";
// version "-" trace-id "-" parent-id "-" trace-flags
constexpr std::size_t trace_id_at = 3;
constexpr std::size_t parent_id_at = 36;
constexpr std::size_t flags_at = 53;
constexpr std::size_t min_length = 55;
constexpr unsigned sampled_flag = 1;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_lower_hex(text) && std::ranges::any_of(text, [](char c) { return c != '0'; });
}

template <std::size_t bytes>
std::string random_id(RandomSource& random) {
  std::array<std::byte, bytes> id;
  random.fill(id);
  return lower_hex(id);
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view value) {
  if (value.size() < min_length) return std::nullopt;
  for (const std::size_t dash : {trace_id_at - 1, parent_id_at - 1, flags_at - 1}) {
    if (value[dash] != '-') return std::nullopt;
  }
  const std::string_view version = value.substr(0, 2);
  if (!is_lower_hex(version) || version == invalid_version) return std::nullopt;
  if (value.size() > min_length && (version == supported_version || value[min_length] != '-')) return std::nullopt;
  const std::string_view flags = value.substr(flags_at, 2);
  const TraceParent parent{.trace_id = value.substr(trace_id_at, parent_id_at - 1 - trace_id_at),
                           .parent_id = value.substr(parent_id_at, flags_at - 1 - parent_id_at),
                           .sampled = (hexadecimal_digit(flags[1]).value_or(0) & sampled_flag) != 0};
  if (!is_id(parent.trace_id) || !is_id(parent.parent_id) || !is_lower_hex(flags)) return std::nullopt;
  return parent;
}

std::optional<RequestSpan> child_span(const Request& request, RandomSource& random) {
  const auto value = find_header(request, field);
  if (!value || count_headers(request, field) > 1) return std::nullopt;
  const auto parent = parse_traceparent(*value);
  if (!parent) return std::nullopt;
  return RequestSpan{.trace_id = std::string(parent->trace_id),
                     .span_id = random_id<8>(random),
                     .parent_id = std::string(parent->parent_id),
                     .sampled = parent->sampled};
}

RequestSpan root_span(RandomSource& random) {
  return {.trace_id = random_id<16>(random), .span_id = random_id<8>(random), .parent_id = {}, .sampled = true};
}

}  // namespace portail
