#include "native/remote/service_client.hpp"

#include <httplib.h>

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

bool is_encoded(const httplib::Response& response) {
  const std::string coding = response.get_header_value("Content-Encoding");
  return !coding.empty() && coding != "identity";
}

}  // namespace

ServiceClient::ServiceClient(Url url, const ServiceOptions& options)
    : timeout_(options.timeout),
      max_size_(options.max_size),
      client_(std::move(url), {.tls = {.ca_file = options.ca_file}, .keep_alive = true, .encode_target = false}) {}

std::expected<TimedAnswer, std::string> ServiceClient::send(std::string_view method, std::string_view target,
                                                            const Headers& headers) {
  const auto started = steady_clock::now();
  const auto deadline = started + timeout_;
  bool was_connected = client_.is_connected();
  for (;;) {
    ReceivedAnswer received;
    const auto answer = client_.exchange(make_request(method, target, headers, max_size_, received), deadline);
    const auto ended = steady_clock::now();
    if (answer && !received.has_head) read_head(*answer, received);  // an answer to HEAD
    if (received.is_too_large) return std::unexpected("its answer is larger than --max-answer");
    if (!answer && answer.error().kind == ExchangeFault::Kind::timed_out)
      return std::unexpected("it did not answer in time");
    // The service may close a connection that is not in use while the request is sent.
    if (!answer && !received.has_head && std::exchange(was_connected, false)) continue;
    if (!answer && !received.has_head) return std::unexpected(answer.error().reason);
    if (answer && is_encoded(*answer))
      return std::unexpected("its answer has a Content-Encoding, though identity was requested");
    if (received.answer.status == too_many_requests) return std::unexpected("429: it limits the rate of requests");
    received.answer.is_cut_off = !answer;
    return TimedAnswer{std::move(received.answer),
                       std::chrono::duration_cast<std::chrono::microseconds>(ended - started)};
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
