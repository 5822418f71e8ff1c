// Standard error by an import of its own: write() of wasi-libc would add an import of file systems.
#pragma once

#include <string_view>

#include "bindings/standard-error/standard_error.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

class StandardError {
 public:
  // Writes all of `text`, blocking. Errors are ignored: there is no other output to report them on.
  void write(std::string_view text);

 private:
  // Opened by the first write.
  Owned<error_stream_own_output_stream_t, error_stream_output_stream_drop_own> stream_;
};

}  // namespace portail::edge
