#include "edge/host/standard_error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace portail::edge {

void StandardError::write(std::string_view text) {
  constexpr std::size_t max_write_bytes = 4096;  // wasi:io, blocking-write-and-flush
  if (!stream_) stream_ = decltype(stream_)(standard_error_get_stderr());
  std::array<std::uint8_t, max_write_bytes> part;
  while (!text.empty()) {
    const std::size_t size = text.copy(reinterpret_cast<char*>(part.data()), part.size());
    standard_error_list_u8_t bytes{.ptr = part.data(), .len = size};
    error_stream_stream_error_t error{};
    if (!error_stream_method_output_stream_blocking_write_and_flush(error_stream_borrow_output_stream(stream_.get()),
                                                                    &bytes, &error)) {
      error_stream_stream_error_free(&error);
      return;
    }
    text.remove_prefix(size);
  }
}

}  // namespace portail::edge
