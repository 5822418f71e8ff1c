// Owning handles of the host's resources of wasi:http 0.3.
#pragma once

#include "bindings/http3/http3.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

using Fields = Owned<wasi_http_own_fields_t, wasi_http_fields_drop_own>;
using IncomingRequest = Owned<wasi_http_own_request_t, wasi_http_request_drop_own>;
using OutgoingResponse = Owned<wasi_http_own_response_t, wasi_http_response_drop_own>;

using ByteReader = Owned<wasi_http_stream_u8_t, wasi_http_stream_u8_drop_readable>;
using ByteWriter = Owned<wasi_http_stream_u8_writer_t, wasi_http_stream_u8_drop_writable>;

// The receiver's report whether it has read a whole message. Its writing end must be written before it is dropped,
// which FutureWriter (streams.hpp) ensures.
using DoneResult = wasi_http_result_void_error_code_t;
using DoneReader =
    Owned<wasi_http_future_result_void_error_code_t, wasi_http_future_result_void_error_code_drop_readable>;

using TrailersResult = wasi_http_result_option_own_trailers_error_code_t;
using TrailersReader = Owned<wasi_http_future_result_option_own_trailers_error_code_t,
                             wasi_http_future_result_option_own_trailers_error_code_drop_readable>;

}  // namespace portail::edge
