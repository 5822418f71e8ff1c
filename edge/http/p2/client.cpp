// The client of wasi:http 0.2. Its calls block the instance.
#include "edge/http/client.hpp"

#include <utility>

#include "edge/host/owned.hpp"
#include "edge/http/p2/body_stream.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/timer.hpp"

namespace portail::edge {
namespace {

Fields request_headers() {
  Fields fields(wasi_http_constructor_fields());
  for (const auto& [name, value] : headers_of_fetches) {
    auto host_name = list_of<wasi_http_field_name_t>(name);
    auto host_value = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &host_name, &host_value, &error);
  }
  return fields;
}

std::unexpected<std::string> failed(wasi_http_error_code_t& error) {
  std::unexpected<std::string> reason{std::string(error_text(error.tag))};
  wasi_http_error_code_free(&error);
  return reason;
}

std::expected<ResponseFuture, std::string> send(const Url& url) {
  OutgoingRequest request(wasi_http_constructor_outgoing_request(request_headers().release()));
  const auto borrowed = wasi_http_borrow_outgoing_request(request.get());
  wasi_http_scheme_t scheme{};
  scheme.tag = url.is_https ? WASI_HTTP_SCHEME_HTTPS : WASI_HTTP_SCHEME_HTTP;
  auto authority = list_of<http2_string_t>(url.authority);
  auto target = list_of<http2_string_t>(url.target);
  if (!wasi_http_method_outgoing_request_set_scheme(borrowed, &scheme) ||
      !wasi_http_method_outgoing_request_set_authority(borrowed, &authority) ||
      !wasi_http_method_outgoing_request_set_path_with_query(borrowed, &target)) {
    return std::unexpected("the host does not accept the URL");
  }
  outgoing_own_future_incoming_response_t future{};
  wasi_http_error_code_t error{};
  if (!outgoing_handle(request.release(), nullptr, &future, &error)) return failed(error);
  return ResponseFuture(future);
}

std::expected<IncomingResponse, std::string> receive(const ResponseFuture& future, Timer& timer) {
  const auto borrowed = wasi_http_borrow_future_incoming_response(future.get());
  const Pollable ready(wasi_http_method_future_incoming_response_subscribe(borrowed));
  if (!timer.wait_for(ready)) return std::unexpected("timed out");
  wasi_http_result_result_own_incoming_response_error_code_void_t result{};
  if (!wasi_http_method_future_incoming_response_get(borrowed, &result) || result.is_err) {
    return std::unexpected("the host returned no answer");
  }
  if (result.val.ok.is_err) return failed(result.val.ok.val.err);
  return IncomingResponse(result.val.ok.val.ok);
}

// Returns the body, or a longer prefix than `max_size`.
std::expected<std::string, std::string> read_body(const IncomingResponse& response, std::size_t max_size,
                                                  Timer& timer) {
  wasi_http_own_incoming_body_t body{};
  BodyStream stream;
  if (!wasi_http_method_incoming_response_consume(wasi_http_borrow_incoming_response(response.get()), &body) ||
      !stream.open(body)) {
    return std::unexpected("it has no body");
  }
  std::string bytes;
  while (bytes.size() <= max_size) {
    const auto chunk = stream.next(timer);
    if (!chunk) {
      return std::unexpected(chunk.error() == Failure::body_late ? "timed out" : "its answer is incomplete");
    }
    if (chunk->empty()) break;
    bytes.append(*chunk);
  }
  return bytes;
}

class Client final : public HttpClient {
 public:
  Task<HttpResult> get(Context&, const Url& url, std::size_t max_size, std::int64_t timeout) override {
    Timer timer(static_cast<std::uint64_t>(timeout) * 1000);
    const auto future = send(url);
    if (!future) co_return HttpResult(std::unexpected(future.error()));
    const auto response = receive(*future, timer);
    if (!response) co_return HttpResult(std::unexpected(response.error()));
    HttpAnswer answer{
        .status = wasi_http_method_incoming_response_status(wasi_http_borrow_incoming_response(response->get())),
        .body = {}};
    if (answer.status == 200) {
      auto body = read_body(*response, max_size, timer);
      if (!body) co_return HttpResult(std::unexpected(std::move(body.error())));
      answer.body = std::move(*body);
    }
    co_return HttpResult(std::move(answer));
  }

  Task<void> pause(Context&, std::int64_t microseconds) override {
    Timer pause(static_cast<std::uint64_t>(microseconds) * 1000);
    pause.wait();
    co_return;
  }

  [[nodiscard]] bool is_concurrent() const override { return false; }
};

}  // namespace

HttpClient& http_client() {
  static Client client;
  return client;
}

}  // namespace portail::edge
