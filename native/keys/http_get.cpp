#include "native/keys/http_get.hpp"

#include <utility>

#include "core/auth/key_url.hpp"
#include "native/fetch/fetch.hpp"

namespace portail::keys {

std::expected<std::string, std::string> http_get(std::string_view url, Transport transport, const std::string& ca_file,
                                                 std::chrono::steady_clock::time_point deadline, std::stop_token stop) {
  const auto fail = [url](const std::string& reason) {
    return std::unexpected("cannot fetch " + std::string(without_query(url)) + ": " + reason);
  };
  auto parsed_url = parse_key_url(url, transport);
  if (!parsed_url) return fail("it is not an https URL");
  std::string body;
  const auto head = fetch({.url = std::move(*parsed_url),
                           .headers = {{"Accept", "application/json"}},
                           .ca_file = ca_file,
                           .max_size = max_fetched_size,
                           .deadline = deadline,
                           .stop = std::move(stop),
                           .may_end_abruptly = true},
                          [&body](std::string_view bytes) {
                            body.append(bytes);
                            return true;
                          });
  if (!head) return fail(head.error());
  if (head->status != 200) return fail(describe_status(head->status));
  return body;
}

}  // namespace portail::keys
