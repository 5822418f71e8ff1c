#include "native/shadow/service_client.hpp"

#include <utility>

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr int too_many_requests = 429;

}  // namespace

ServiceClient::ServiceClient(Url url, const ServiceOptions& options)
    : timeout_(options.timeout),
      max_size_(options.max_size),
      client_(std::move(url), {.tls = {.ca_file = options.ca_file}, .keep_alive = true}) {}

std::expected<TimedAnswer, std::string> ServiceClient::send(std::string_view method, std::string_view target,
                                                            const Headers& headers, const std::stop_token& stop) {
  const auto started = steady_clock::now();
  bool is_too_large = false;
  std::string body;
  const HttpRequest request{
      .method = method, .target = std::string(target), .headers = headers, .on_body = [&](std::string_view bytes) {
        is_too_large = body.size() + bytes.size() > max_size_;
        if (!is_too_large) body += bytes;
        return !is_too_large;
      }};
  auto answer = client_.exchange(request, started + timeout_, stop);
  const auto ended = steady_clock::now();
  if (is_too_large) return std::unexpected("its answer is larger than --max-answer");
  if (!answer && answer.error().kind == ExchangeFault::Kind::timed_out)
    return std::unexpected("it did not answer in time");
  if (!answer) return std::unexpected(answer.error().reason);
  const std::string_view coding = answer->header("Content-Encoding");
  if (!coding.empty() && coding != "identity")
    return std::unexpected("its answer has a Content-Encoding, though identity was requested");
  if (answer->status == too_many_requests) return std::unexpected("429: it limits the rate of requests");
  return TimedAnswer{{.status = answer->status, .headers = std::move(answer->headers), .body = std::move(body)},
                     std::chrono::duration_cast<std::chrono::microseconds>(ended - started)};
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
