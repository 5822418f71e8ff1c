#include "native/fetch/fetch.hpp"

#include <charconv>
#include <chrono>

#include "core/http/target.hpp"
#include "native/fetch/http_client.hpp"

namespace portail {
namespace {

constexpr std::chrono::seconds connect_timeout{10};  // half of it is of the first address, if there are several

// Zero if the head has no length.
std::uint64_t content_length(const HttpAnswer& head) {
  const std::string_view text = head.header("Content-Length");
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return error == std::errc() ? length : 0;
}

// Escapes what parse_url() accepts and a request must not have (RFC 3986, appendix A).
std::string escaped(std::string_view target) {
  std::string text;
  for (const char& c : target) {
    constexpr std::string_view unsafe = "\"<>^`{|}";
    text += unsafe.contains(c) ? percent_encoded({&c, 1}) : std::string(1, c);
  }
  return text;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kib = 1024;
  if (bytes >= kib * kib && bytes % (kib * kib) == 0) return std::to_string(bytes / (kib * kib)) + " MiB";
  if (bytes >= kib && bytes % kib == 0) return std::to_string(bytes / kib) + " KiB";
  return std::to_string(bytes) + " bytes";
}

std::expected<FetchedHead, std::string> fetch(const FetchRequest& request, const BodyReceiver& receive) {
  FetchedHead head;
  bool too_large = false;
  bool is_refused = false;
  std::uint64_t size = 0;
  const HttpRequest get{.target = escaped(request.url.target),
                        .headers = request.headers,
                        .on_head =
                            [&](const HttpAnswer& answer) {
                              head = {.status = answer.status,
                                      .etag = std::string(answer.header("ETag")),
                                      .last_modified = std::string(answer.header("Last-Modified"))};
                              too_large = answer.status == 200 && content_length(answer) > request.max_size;
                              return answer.status == 200 && !too_large;
                            },
                        .on_body =
                            [&](std::string_view bytes) {
                              size += bytes.size();
                              too_large = size > request.max_size;
                              is_refused = !too_large && !receive(bytes);
                              return !too_large && !is_refused;
                            }};
  HttpClient client(request.url, {.tls = {.ca_file = request.ca_file},
                                  .decode = true,
                                  .may_end_abruptly = request.may_end_abruptly,
                                  .connect_timeout = connect_timeout});
  const auto answer = client.exchange(get, request.deadline, request.stop);
  if (too_large) return std::unexpected("it is larger than " + size_text(request.max_size));
  if (is_refused) return std::unexpected("the receiver failed");
  if (head.status != 0 && head.status != 200) return head;
  if (!answer) return std::unexpected(answer.error().reason);
  return head;
}

}  // namespace portail
