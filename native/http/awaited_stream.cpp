#include "native/http/awaited_stream.hpp"

#include <algorithm>

namespace portail {

Parking::Awaiter AwaitedStream::until(Stall stall, Deadline deadline) {
  return parking_.until(stall == Stall::until_writable ? Parking::For::writing : Parking::For::reading, deadline);
}

bool AwaitedStream::may_wait(Stall stall, Deadline deadline) {
  return stall != Stall::ended && std::chrono::steady_clock::now() < deadline;
}

Task<bool> AwaitedStream::open(Context&, Deadline deadline) {
  while (true) {
    const auto opened = stream_.open();
    if (opened) co_return true;
    if (opened.error() == Stall::in_clear) co_return false;
    if (!may_wait(opened.error(), deadline)) co_return std::unexpected(Failure::cancelled);
    co_await until(opened.error(), deadline);
  }
}

Task<std::size_t> AwaitedStream::read(Context&, std::span<char> into, Deadline deadline) {
  if (!may_be_readable_ && !stream_.has_pending()) co_await until(Stall::until_readable, deadline);
  while (true) {
    const auto count = stream_.read(into);
    may_be_readable_ = false;
    if (count) co_return *count;
    if (!may_wait(count.error(), deadline)) co_return std::unexpected(Failure::cancelled);
    co_await until(count.error(), deadline);
  }
}

Task<void> AwaitedStream::write(Context&, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const auto count = stream_.write(bytes);
    if (count) {
      bytes.remove_prefix(*count);
      continue;
    }
    if (!may_wait(count.error(), deadline)) co_await std::unexpected(Failure::cancelled);
    co_await until(count.error(), std::min(deadline, std::chrono::steady_clock::now() + longest_stall));
  }
}

}  // namespace portail
