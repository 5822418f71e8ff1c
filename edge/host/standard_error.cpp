// The log of components: standard error, which hosts collect.
#include "bindings/standard-error/standard_error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "edge/host/owned.hpp"
#include "edge/host/system.hpp"

namespace portail::edge {
namespace {

// Standard error by an import of its own: write() of wasi-libc would add an import of file systems.
class StandardError {
 public:
  // Writes all of `text`, blocking. Errors are ignored: there is no other output to report them on.
  void write(std::string_view text);

 private:
  // Opened by the first write.
  Owned<error_stream_own_output_stream_t, error_stream_output_stream_drop_own> stream_;
};

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

class StandardErrorLog final : public LineLog {
 public:
  using LineLog::LineLog;

 private:
  void write(std::string_view line) override { standard_error_.write(line); }

  StandardError standard_error_;
};

}  // namespace

std::unique_ptr<Log> make_log(const Clock& clock) { return std::make_unique<StandardErrorLog>(clock); }

void write_abort_message(std::string_view text) { StandardError().write(text); }

}  // namespace portail::edge
