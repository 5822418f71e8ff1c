// A peer that has sent a text and closed its side. No call waits. One thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "native/http/byte_stream.hpp"

namespace portail {

class MemoryStream final : public ByteStream {
 public:
  // `sent` must outlive the stream; it arrives in pieces of at most `piece` bytes.
  explicit MemoryStream(std::string_view sent, std::size_t piece = 4096) : unread_(sent), piece_(piece) {}

  // What was written to the peer, and whether finish() was called.
  std::string received;
  bool finished = false;

  std::expected<std::size_t, StreamStatus> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), piece_, unread_.size()});
    if (count == 0) return std::unexpected(StreamStatus::closed);
    std::ranges::copy(unread_.substr(0, count), into.begin());
    unread_.remove_prefix(count);
    return count;
  }
  [[nodiscard]] bool has_pending() const override { return true; }
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override {
    received += bytes;
    return bytes.size();
  }
  void finish() override { finished = true; }

 private:
  std::string_view unread_;
  std::size_t piece_;
};

}  // namespace portail
