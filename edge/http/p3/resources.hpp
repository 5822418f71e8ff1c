// The host's resources of wasi:http 0.3, each with its owner.
#pragma once

#include "edge/bindings/http3/http3.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

using Fields = Owned<wasi_http_own_fields_t, wasi_http_fields_drop_own>;
using IncomingRequest = Owned<wasi_http_own_request_t, wasi_http_request_drop_own>;
using OutgoingResponse = Owned<wasi_http_own_response_t, wasi_http_response_drop_own>;

using ByteReader = Owned<wasi_http_stream_u8_t, wasi_http_stream_u8_drop_readable>;
using ByteWriter = Owned<wasi_http_stream_u8_writer_t, wasi_http_stream_u8_drop_writable>;

// Whether a message was taken whole, as its receiver says. Its writer must be written to before it is dropped: Promised
// (promised.hpp) sees to that.
using DoneResult = wasi_http_result_void_error_code_t;
using DoneReader =
    Owned<wasi_http_future_result_void_error_code_t, wasi_http_future_result_void_error_code_drop_readable>;

using TrailersResult = wasi_http_result_option_own_trailers_error_code_t;
using TrailersReader = Owned<wasi_http_future_result_option_own_trailers_error_code_t,
                             wasi_http_future_result_option_own_trailers_error_code_drop_readable>;

}  // namespace portail::edge
