#include "edge/http/p3/request_task.hpp"

#include "edge/http/drained_body.hpp"
#include "edge/http/messages.hpp"
#include "edge/http/p3/byte_streams.hpp"
#include "edge/http/p3/promised.hpp"
#include "guest/answer_framing.hpp"
#include "guest/gathered_body.hpp"

namespace portail::edge {
namespace {

Fields fields_of(const Response& response) {
  Fields fields(wasi_http_constructor_fields());
  for_each_header(response, [&](std::string_view name, std::string_view value) {
    auto name_bytes = list_of<http3_string_t>(name);
    auto value_bytes = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    // A name that this host keeps for itself is left out.
    if (wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &name_bytes, &value_bytes, &error))
      return;
    wasi_http_header_error_free(&error);
  });
  return fields;
}

OutgoingResponse make_response(const Response& response, ByteReader contents, const PromisedTrailers& trailers) {
  wasi_http_stream_u8_t stream = contents ? contents.release() : 0;
  wasi_http_tuple2_own_response_future_result_void_error_code_t made;
  wasi_http_static_response_new(fields_of(response).release(), stream ? &stream : nullptr, trailers.reader(), &made);
  // Whether it was sent whole, nobody here wants to know.
  const DoneReader unread(made.f1);
  OutgoingResponse answer(made.f0);
  wasi_http_method_response_set_status_code(wasi_http_borrow_response(answer.get()),
                                            static_cast<std::uint16_t>(response.status));
  return answer;
}

}  // namespace

RequestTask::RequestTask(Instance& instance, IncomingRequest request)
    : instance_(instance),
      incoming_(std::move(request)),
      context_(instance.context(frames_)),
      head_(incoming_),
      request_(head_.with(body_)) {}

http3_callback_code_t RequestTask::begin(IncomingRequest request) {
  auto* task = new RequestTask(Instance::current(), std::move(request));
  task->make_current();
  task->serving_.emplace(task->serve(task->context_));
  task->serving_->start([](void*) {}, nullptr);
  return task->state();
}

http3_callback_code_t RequestTask::go_on(const http3_event_t& event) {
  auto& task = static_cast<RequestTask&>(Events::current());
  if (event.event == HTTP3_EVENT_CANCEL) {
    task.cancel();
  } else {
    task.take(event);
  }
  return task.state();
}

void RequestTask::cancel() {
  cancelled_ = true;
  serving_.reset();
}

http3_callback_code_t RequestTask::state() {
  if ((serving_ && !serving_->done()) || awaited()) return wait_code();
  // What ends with the task may have a last word for the host.
  serving_.reset();
  body_.close();
  if (awaited()) return wait_code();
  if (cancelled_) http3_task_cancel();
  delete this;
  return HTTP3_CALLBACK_CODE_EXIT;
}

Task<void> RequestTask::serve(Context& context) {
  const auto answered = co_await outcome(instance_.handler().handle(context, request_));
  if (answered) {
    co_await send(context, *answered);
  } else {
    const Response failed = failed_answer();
    co_await send(context, failed);
  }
  co_await drain(context, request_.body);
}

Task<void> RequestTask::send(Context& context, const Response& response) {
  PromisedTrailers trailers;
  ByteReader contents;
  ByteWriter writer;
  if (has_body(response, request_.method)) {
    wasi_http_stream_u8_writer_t end{};
    contents = ByteReader(wasi_http_stream_u8_new(&end));
    writer = ByteWriter(end);
  }
  exports_handler_result_own_response_error_code_t result{};
  result.val.ok = make_response(response, std::move(contents), trailers).release();
  exports_handler_handle_return(result);

  if (writer) {
    Timer timer(longest_answer_nanoseconds);
    GatheredBody body(response.body);
    while (const auto piece = co_await body.next(context)) {
      // A failure here, or of the source, breaks the promise of trailers, so the client sees that bytes are missing.
      if (!co_await write_all(context, writer, *piece, timer)) co_return;
    }
    writer.reset();
  }
  trailers.keep(no_trailers);
}

}  // namespace portail::edge

http3_callback_code_t exports_handler_handle(exports_handler_own_request_t request) {
  return portail::edge::RequestTask::begin(portail::edge::IncomingRequest(request));
}

http3_callback_code_t exports_handler_handle_callback(http3_event_t* event) {
  return portail::edge::RequestTask::go_on(*event);
}
