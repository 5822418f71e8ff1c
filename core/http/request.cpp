#include "core/http/request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "core/base/text.hpp"

namespace portail {
namespace {

bool is_correlation_id(std::string_view id) {
  constexpr std::size_t max_size = 128;
  return !id.empty() && id.size() <= max_size && std::ranges::all_of(id, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace

std::optional<std::string_view> find_header(const Request& request, std::string_view name) {
  for (const HeaderView& header : request.headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t count_headers(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.headers, [&](const HeaderView& header) { return equals_ignoring_case(header.name, name); }));
}

bool announces_more_than(std::uint64_t max_size, const Request& request) {
  const std::string_view text = find_header(request, "Content-Length").value_or("");
  const char* last = text.data() + text.size();
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), last, length);
  return end == last && (error == std::errc::result_out_of_range || length > max_size);
}

Task<std::optional<std::string>> read_body(Context& context, const Request& request, std::size_t max_size) {
  std::string body;
  if (!request.body) co_return body;
  // A client that waits for a 100 has sent nothing yet. Any other is sending, and may lose an early answer.
  if (find_header(request, "Expect") && announces_more_than(max_size, request)) co_return std::nullopt;
  while (const auto chunk = co_await request.body->next(context)) {
    if (body.size() + chunk->size() > max_size) co_return std::nullopt;
    body += *chunk;
  }
  co_return body;
}

std::string new_correlation_id(RandomSource& random) {
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  return lower_hex(bytes);
}

std::string correlation_id_of(const Request& request, RandomSource& random) {
  const auto given = find_header(request, "X-Correlation-Id");
  return given && is_correlation_id(*given) ? std::string(*given) : new_correlation_id(random);
}

}  // namespace portail
