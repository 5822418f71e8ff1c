// Owning handles of the host's resources of wasi:http 0.2.
#pragma once

#include "bindings/http2/http2.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

using Fields = Owned<wasi_http_own_fields_t, wasi_http_fields_drop_own>;
using IncomingRequest = Owned<wasi_http_own_incoming_request_t, wasi_http_incoming_request_drop_own>;
using IncomingBody = Owned<wasi_http_own_incoming_body_t, wasi_http_incoming_body_drop_own>;
using InputStream = Owned<wasi_http_own_input_stream_t, io_input_stream_drop_own>;
using ResponseOutparam = Owned<wasi_http_own_response_outparam_t, wasi_http_response_outparam_drop_own>;
using OutgoingResponse = Owned<wasi_http_own_outgoing_response_t, wasi_http_outgoing_response_drop_own>;
using OutgoingBody = Owned<wasi_http_own_outgoing_body_t, wasi_http_outgoing_body_drop_own>;
using OutputStream = Owned<wasi_http_own_output_stream_t, io_output_stream_drop_own>;
using OutgoingRequest = Owned<wasi_http_own_outgoing_request_t, wasi_http_outgoing_request_drop_own>;
using ResponseFuture = Owned<wasi_http_own_future_incoming_response_t, wasi_http_future_incoming_response_drop_own>;
using IncomingResponse = Owned<wasi_http_own_incoming_response_t, wasi_http_incoming_response_drop_own>;
using Pollable = Owned<poll_own_pollable_t, poll_pollable_drop_own>;

}  // namespace portail::edge
