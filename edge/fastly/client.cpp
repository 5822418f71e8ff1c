// The client: a request goes to the service's backend whose name is the host of the URL.
#include "edge/http/client.hpp"

#include <utility>

#include <unistd.h>

#include "edge/fastly/body.hpp"
#include "edge/http/instance.hpp"

namespace portail::edge {
namespace {

using fastly::Handle;
using fastly::HostBody;
using fastly::Status;
using fastly::Timeout;

// Why a backend did not answer, by the platform's send_error_detail_tag.
std::string_view failure_text(std::uint32_t tag) {
  switch (tag) {
    case 2:
      return "its name could not be resolved in time";
    case 3:
      return "its name cannot be resolved";
    case 4:
      return "the service has no such backend";
    case 5:
      return "the backend is unavailable";
    case 6:
      return "the address cannot be reached";
    case 7:
      return "connection refused";
    case 8:
      return "connection closed";
    case 9:
    case 16:
      return "timed out";
    case 10:
      return "the platform has too many connections";
    case 11:
      return "its certificate is not from a trusted authority, is for another name, or has expired";
    case 12:
    case 23:
    case 24:
      return "TLS error";
    default:
      return "the platform reported an error of HTTP";
  }
}

std::expected<Handle, std::string> send(const Url& url, const std::string& text) {
  Handle request = 0;
  Handle pending = 0;
  HostBody body = fastly::new_body("");
  if (!body || fastly::fastly_request_new(&request) != Status::ok ||
      fastly::fastly_request_set_uri(request, text.data(), text.size()) != Status::ok) {
    return std::unexpected("the platform does not accept the URL");
  }
  for (const auto& [name, value] : headers_of_fetches) {
    fastly::fastly_request_append(request, name.data(), name.size(), value.data(), value.size());
  }
  const Status status = fastly::fastly_send(request, body.release(), url.host.data(), url.host.size(), 0, &pending);
  if (status == Status::ok) return pending;
  if (status == Status::invalid_argument)
    return std::unexpected("the service needs a backend with the name " + url.host);
  return std::unexpected("the platform does not send the request");
}

class Client final : public HttpClient {
 public:
  Task<HttpResult> get(Context&, const Url& url, std::size_t max_size, std::int64_t timeout) override {
    co_return fetch(url, max_size, Timeout(timeout));
  }

  Task<void> pause(Context&, std::int64_t microseconds) override {
    usleep(static_cast<useconds_t>(microseconds));
    Instance::current().invalidate_time();
    co_return;
  }

  [[nodiscard]] bool is_concurrent() const override { return false; }

 private:
  static HttpResult fetch(const Url& url, std::size_t max_size, Timeout timeout) {
    const auto pending = send(url, (url.is_https ? "https://" : "http://") + url.authority + url.target);
    if (!pending) return std::unexpected(pending.error());
    if (!timeout.wait_for(*pending)) return std::unexpected("timed out");
    fastly::SendError error;
    Handle response = 0;
    Handle received = 0;
    if (fastly::fastly_receive(*pending, &error, &response, &received) != Status::ok) {
      return std::unexpected(std::string(failure_text(error.tag)));
    }
    const HostBody body(received);
    std::uint16_t status = 0;
    fastly::fastly_response_status(response, &status);
    if (status != 200) return HttpAnswer{.status = status, .body = {}};
    auto bytes = fastly::read_whole(body, max_size, &timeout);
    if (bytes) return HttpAnswer{.status = status, .body = std::move(*bytes)};
    return std::unexpected(bytes.error() == Failure::body_late ? "timed out" : "its answer is incomplete");
  }
};

}  // namespace

HttpClient& http_client() {
  static Client client;
  return client;
}

}  // namespace portail::edge
