#include "native/remote/service_client.hpp"

#include <exception>
#include <limits>

#include <httplib.h>

#include "native/fetch/http_client.hpp"
#include "native/http/connect_timeout.hpp"
#include "native/system/name_lookup.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr int too_many_requests = 429;

// What one attempt received.
struct ReceivedAnswer {
  shadow::ComparedAnswer answer;
  bool has_head = false;
  bool is_too_large = false;
};

void read_head(const httplib::Response& response, ReceivedAnswer& received) {
  received.has_head = true;
  received.answer.status = response.status;
  received.answer.headers.assign(response.headers.begin(), response.headers.end());
}

httplib::Request make_request(std::string_view method, std::string_view target, const ServiceClient::Headers& headers,
                              std::size_t max_size, ReceivedAnswer& received) {
  httplib::Request request;
  request.method = method;
  request.path = target;
  request.headers = {headers.begin(), headers.end()};
  request.headers.emplace("Accept-Encoding", "identity");
  request.response_handler = [&received](const httplib::Response& response) {
    read_head(response, received);
    return true;
  };
  request.content_receiver = [&received, max_size](const char* bytes, std::size_t count, std::uint64_t, std::uint64_t) {
    received.is_too_large = received.answer.body.size() + count > max_size;
    if (!received.is_too_large) received.answer.body.append(bytes, count);
    return !received.is_too_large;
  };
  return request;
}

bool is_encoded(const httplib::Result& result) {
  const std::string coding = result->get_header_value("Content-Encoding");
  return !coding.empty() && coding != "identity";
}

}  // namespace

ServiceClient::ServiceClient(Url url, ServiceOptions options)
    : url_(std::move(url)),
      options_(std::move(options)),
      client_(make_http_client(url_, {.ca_file = options_.ca_file})) {
  set_connect_timeout(*client_, options_.timeout);
  client_->set_read_timeout(options_.timeout);
  client_->set_write_timeout(options_.timeout);
  client_->set_max_timeout(options_.timeout);
  client_->set_payload_max_length(std::numeric_limits<std::size_t>::max());  // max_size is checked as bytes arrive
  client_->set_keep_alive(true);
  client_->set_path_encode(false);
}

ServiceClient::ServiceClient(ServiceClient&&) noexcept = default;
ServiceClient::~ServiceClient() = default;

std::expected<TimedAnswer, std::string> ServiceClient::send(std::string_view method, std::string_view target,
                                                            const Headers& headers) {
  try {
    const auto started = steady_clock::now();
    const auto deadline = started + options_.timeout;
    bool was_connected = client_->is_socket_open() != 0;
    for (;;) {
      // cpp-httplib resolves the name again, without a deadline.
      if (!was_connected) {
        if (const auto found = look_up_host(url_.host, url_.port, deadline); !found)
          return std::unexpected(found.error());
      }
      ReceivedAnswer received;
      const auto result = client_->send(make_request(method, target, headers, options_.max_size, received));
      const auto ended = steady_clock::now();
      if (result && !received.has_head) read_head(*result, received);  // an answer to HEAD
      if (received.is_too_large) return std::unexpected("its answer is larger than --max-answer");
      if (!result && ended >= deadline) return std::unexpected("it did not answer in time");
      // The service may close a connection that is not in use while the request is sent.
      if (!result && !received.has_head && std::exchange(was_connected, false)) continue;
      if (!result && !received.has_head) return std::unexpected(describe(result.error()));
      if (result && is_encoded(result))
        return std::unexpected("its answer has a Content-Encoding, though identity was requested");
      if (received.answer.status == too_many_requests) return std::unexpected("429: it limits the rate of requests");
      received.answer.is_cut_off = !result;
      return TimedAnswer{std::move(received.answer),
                         std::chrono::duration_cast<std::chrono::microseconds>(ended - started)};
    }
  } catch (const std::exception& error) {
    return std::unexpected(error.what());
  }
}

std::expected<Url, Fault> parse_service_url(const std::string& text, std::string_view option) {
  auto url = parse_url(text);
  if (!url || url->target != "/" || (!url->is_https && !is_loopback(*url))) {
    return wrong_usage(std::string(option) +
                       " must be an https URL without a path, or an http one of a loopback address, not " + text);
  }
  return std::move(*url);
}

}  // namespace portail
