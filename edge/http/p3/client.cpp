// The client of wasi:http 0.3. Calls suspend, so a fetch may go on after the request that starts it: its events are
// those of that request's task, which ends when the fetch does.
#include "edge/http/client.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "edge/async/events.hpp"
#include "edge/host/owned.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/resources.hpp"
#include "edge/http/p3/streams.hpp"

namespace portail::edge {
namespace {

// A call of client.send. The result is declared first: cancelling the call may still write it.
class SendCall {
 public:
  explicit SendCall(IncomingRequest request) { subtask_.set_status(client_send(request.release(), &result_)); }
  SendCall(const SendCall&) = delete;
  SendCall& operator=(const SendCall&) = delete;
  ~SendCall() {
    subtask_.close();
    if (!subtask_.returned()) return;
    if (result_.is_err) {
      client_result_own_response_error_code_free(&result_);
    } else if (!is_taken_) {
      wasi_http_response_drop_own(result_.val.ok);
    }
  }

  [[nodiscard]] Subtask& subtask() { return subtask_; }
  [[nodiscard]] bool has_failed() const { return result_.is_err; }
  [[nodiscard]] std::uint8_t error() const { return result_.val.err.tag; }
  [[nodiscard]] OutgoingResponse take_response() {
    is_taken_ = true;
    return OutgoingResponse(result_.val.ok);
  }

 private:
  client_result_own_response_error_code_t result_{};
  Subtask subtask_;
  bool is_taken_ = false;
};

Fields request_headers() {
  Fields fields(wasi_http_constructor_fields());
  for (const auto& [name, value] : headers_of_fetches) {
    auto host_name = list_of<wasi_http_field_name_t>(name);
    auto host_value = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    if (!wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &host_name, &host_value, &error)) {
      wasi_http_header_error_free(&error);
    }
  }
  return fields;
}

// Returns an empty handle if the host does not accept the URL. `sent` is the result of the transmission.
IncomingRequest make_request(const Url& url, std::uint32_t trailers, DoneReader& sent) {
  wasi_http_tuple2_own_request_future_result_void_error_code_t created;
  wasi_http_static_request_new(request_headers().release(), nullptr, trailers, nullptr, &created);
  sent = DoneReader(created.f1);
  IncomingRequest request(created.f0);
  const auto borrowed = wasi_http_borrow_request(request.get());
  wasi_http_scheme_t scheme{};
  scheme.tag = url.is_https ? WASI_HTTP_SCHEME_HTTPS : WASI_HTTP_SCHEME_HTTP;
  auto authority = list_of<http3_string_t>(url.authority);
  auto target = list_of<http3_string_t>(url.target);
  const bool accepted = wasi_http_method_request_set_scheme(borrowed, &scheme) &&
                        wasi_http_method_request_set_authority(borrowed, &authority) &&
                        wasi_http_method_request_set_path_with_query(borrowed, &target);
  return accepted ? std::move(request) : IncomingRequest();
}

// Returns the body, or a longer prefix than `max_size`. Fails with Failure::cancelled after the timer, or if the body
// is incomplete.
Task<std::string> read_body(Context& context, OutgoingResponse response, std::size_t max_size, Timer& timer) {
  DoneWriter done;
  wasi_http_tuple2_stream_u8_future_result_option_own_trailers_error_code_t contents;
  wasi_http_static_response_consume_body(response.release(), done.reader(), &contents);
  const TrailersReader trailers(contents.f1);
  const ByteReader stream(contents.f0);
  std::string body;
  std::vector<char> buffer(body_chunk_size);
  while (body.size() <= max_size) {
    const std::size_t count = co_await read_bytes(context, stream, buffer, timer);
    if (count == 0) {
      if (!co_await is_complete(context, trailers, timer)) co_await std::unexpected(Failure::cancelled);
      done.write(body_complete);
      break;
    }
    body.append(buffer.data(), count);
  }
  co_return body;
}

class Client final : public HttpClient {
 public:
  Task<HttpResult> get(Context& context, const Url& url, std::size_t max_size, std::int64_t timeout) override {
    Timer timer(static_cast<std::uint64_t>(timeout) * 1000);
    TrailersWriter trailers;
    // wasmtime 49 ends the connection when this is dropped, and then presents a part of the body as the whole.
    DoneReader sent;
    IncomingRequest request = make_request(url, trailers.reader(), sent);
    if (!request) co_return HttpResult(std::unexpected("the host does not accept the URL"));
    SendCall call(std::move(request));
    trailers.write(no_trailers);
    while (!call.subtask().returned()) {
      const auto state = co_await Wait(call.subtask().waitable(), timer);
      if (!state) co_return HttpResult(std::unexpected("timed out"));
      call.subtask().on_event(*state);
    }
    if (call.has_failed()) co_return HttpResult(std::unexpected(std::string(error_text(call.error()))));
    OutgoingResponse response = call.take_response();
    HttpAnswer answer{.status = wasi_http_method_response_get_status_code(wasi_http_borrow_response(response.get())),
                      .body = {}};
    if (answer.status == 200) {
      auto body = co_await outcome(read_body(context, std::move(response), max_size, timer));
      if (!body) co_return HttpResult(std::unexpected("its answer is incomplete"));
      answer.body = std::move(*body);
    }
    co_return HttpResult(std::move(answer));
  }

  Task<void> pause(Context&, std::int64_t microseconds) override {
    Subtask call;
    call.set_status(clock_wait_for(static_cast<std::uint64_t>(std::max<std::int64_t>(microseconds, 1)) * 1000));
    while (!call.returned()) call.on_event(*co_await Wait(call.waitable()));
  }

  [[nodiscard]] bool is_concurrent() const override { return true; }
};

}  // namespace

HttpClient& http_client() {
  static Client client;
  return client;
}

}  // namespace portail::edge
