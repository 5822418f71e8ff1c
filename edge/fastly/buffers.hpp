// Text and lists that the host writes into a buffer of the caller. A buffer that is too small is enlarged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "edge/fastly/abi.hpp"

namespace portail::fastly {

inline constexpr std::size_t first_buffer_size = 1024;

// Returns the text that get(buffer, size, &written) writes. Fails with the host's status.
template <class Get>
std::expected<std::string, Status> read_text(Get get) {
  std::string text(first_buffer_size, '\0');
  while (true) {
    std::size_t written = 0;
    const Status status = get(text.data(), text.size(), &written);
    if (status == Status::buffer_too_small && written > text.size()) {
      text.resize(written);
      continue;
    }
    if (status != Status::ok) return std::unexpected(status);
    text.resize(written);
    return text;
  }
}

// Appends the values that get(buffer, size, cursor, &next, &written) writes to `bytes`, each with a zero byte after it.
// Returns false, with a part of them, if the host fails.
template <class Get>
bool append_values(std::string& bytes, Get get) {
  std::size_t size = first_buffer_size;
  for (std::int64_t cursor = 0; cursor >= 0;) {
    const std::size_t end = bytes.size();
    bytes.resize(end + size);
    std::size_t written = 0;
    std::int64_t next = -1;
    const Status status = get(bytes.data() + end, size, static_cast<std::uint32_t>(cursor), &next, &written);
    const bool is_short = status == Status::buffer_too_small && written > size;
    bytes.resize(end + (status == Status::ok ? written : 0));
    if (is_short) {
      size = written;
    } else if (status == Status::ok) {
      cursor = next;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace portail::fastly
