// The exported function of wasi:http/incoming-handler 0.2: one request from its arrival to the last byte of its answer.
// The host calls an instance again only when it is done, so waits block, and no coroutine is ever suspended.
#include "edge/http/drained_body.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/messages.hpp"
#include "edge/http/p2/host_head.hpp"
#include "edge/http/p2/request_body.hpp"
#include "edge/http/request_head.hpp"
#include "guest/answer_framing.hpp"
#include "guest/gathered_body.hpp"

namespace portail::edge {
namespace {

Fields fields_of(const Response& response) {
  Fields fields(wasi_http_constructor_fields());
  for_each_header(response, [&](std::string_view name, std::string_view value) {
    auto name_bytes = list_of<http2_string_t>(name);
    auto value_bytes = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    // A name that this host keeps for itself is left out.
    wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &name_bytes, &value_bytes, &error);
  });
  return fields;
}

// False: nobody reads any more, or not in time.
bool write_all(const OutputStream& stream, std::string_view bytes, Timer& timer) {
  const io_borrow_output_stream_t borrowed = io_borrow_output_stream(stream.get());
  io_stream_error_t error{};
  while (!bytes.empty()) {
    std::uint64_t room = 0;
    bool open = io_method_output_stream_check_write(borrowed, &room, &error);
    if (open && room == 0) {
      if (!timer.wait_for(Pollable(io_method_output_stream_subscribe(borrowed)))) return false;
      continue;
    }
    auto part = list_of<http2_list_u8_t>(bytes.substr(0, static_cast<std::size_t>(room)));
    open = open && io_method_output_stream_write(borrowed, &part, &error);
    if (!open) {
      io_stream_error_free(&error);
      return false;
    }
    bytes.remove_prefix(part.len);
  }
  return true;
}

// False: not all was sent.
bool send_body(Context& context, const OutputStream& stream, const Body& body) {
  Timer timer(longest_answer_nanoseconds);
  GatheredBody pieces(body);
  while (true) {
    const auto piece = run_ready(pieces.next(context));
    if (!piece) return false;
    if (!*piece) return true;
    if (!write_all(stream, **piece, timer)) return false;
  }
}

void send(Context& context, ResponseOutparam out, const Response& response, std::string_view method) {
  OutgoingResponse answer(wasi_http_constructor_outgoing_response(fields_of(response).release()));
  const wasi_http_borrow_outgoing_response_t borrowed = wasi_http_borrow_outgoing_response(answer.get());
  wasi_http_method_outgoing_response_set_status_code(borrowed, static_cast<std::uint16_t>(response.status));
  wasi_http_own_outgoing_body_t taken{};
  if (!wasi_http_method_outgoing_response_body(borrowed, &taken)) return;
  OutgoingBody body(taken);

  wasi_http_result_own_outgoing_response_error_code_t result{};
  result.val.ok = answer.release();
  wasi_http_static_response_outparam_set(out.release(), &result);

  if (has_body(response, method)) {
    wasi_http_own_output_stream_t stream{};
    if (!wasi_http_method_outgoing_body_write(wasi_http_borrow_outgoing_body(body.get()), &stream)) return;
    // A body that is dropped unfinished breaks the connection, so the client sees that bytes are missing.
    if (!send_body(context, OutputStream(stream), response.body)) return;
  }
  wasi_http_error_code_t error{};
  if (!wasi_http_static_outgoing_body_finish(body.release(), nullptr, &error)) wasi_http_error_code_free(&error);
}

void serve(IncomingRequest incoming, ResponseOutparam out) {
  Instance& instance = Instance::current();
  FrameArena frames;
  Context context = instance.context(frames);
  const RequestHead<HostHead> head(incoming);
  RequestBody body(incoming);
  const Request request = head.with(body);
  auto answered = run_ready(instance.handler().handle(context, request));
  const Response response = answered ? std::move(*answered) : failed_answer();
  send(context, std::move(out), response, request.method);
  [[maybe_unused]] const auto drained = run_ready(drain(context, request.body));
}

}  // namespace
}  // namespace portail::edge

void exports_handler_handle(exports_handler_own_incoming_request_t request,
                            exports_handler_own_response_outparam_t response_out) {
  portail::edge::serve(portail::edge::IncomingRequest(request), portail::edge::ResponseOutparam(response_out));
}
