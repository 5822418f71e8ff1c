#include "native/fetch/fetch.hpp"

#include <httplib.h>

#include "native/fetch/http_client.hpp"

namespace portail {

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
  httplib::Request get;
  get.method = "GET";
  get.path = request.url.target;
  get.headers = {request.headers.begin(), request.headers.end()};
  get.headers.emplace("Accept-Encoding", "identity");
  get.response_handler = [&head, &too_large, &request](const httplib::Response& response) {
    head = {.status = response.status,
            .etag = response.get_header_value("ETag"),
            .last_modified = response.get_header_value("Last-Modified")};
    too_large = response.status == 200 && response.get_header_value_u64("Content-Length") > request.max_size;
    return response.status == 200 && !too_large;
  };
  get.content_receiver = [&receive, &size, &too_large, &is_refused, &request](const char* bytes, std::size_t count,
                                                                              std::uint64_t, std::uint64_t) {
    size += count;
    too_large = size > request.max_size;
    is_refused = !too_large && !receive({bytes, count});
    return !too_large && !is_refused;
  };
  HttpClient client(request.url, {.tls = {.ca_file = request.ca_file}});
  const auto answer = client.exchange(get, request.deadline, request.stop);
  if (too_large) return std::unexpected("it is larger than " + size_text(request.max_size));
  if (is_refused) return std::unexpected("the receiver failed");
  if (head.status != 0 && head.status != 200) return head;
  if (!answer) return std::unexpected(answer.error().reason);
  return head;
}

}  // namespace portail
