#include "edge/fastly/body.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "edge/http/instance.hpp"

namespace portail::fastly {
namespace {

std::int64_t monotonic_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace

bool Timeout::wait_for(Handle item) {
  const std::int64_t now = monotonic_microseconds();
  if (!end_) end_ = now + microseconds_;
  if (now >= *end_) return false;
  std::uint32_t ready = none_ready;
  const Status status = fastly_select(&item, 1, static_cast<std::uint32_t>((*end_ - now) / 1000 + 1), &ready);
  edge::Instance::current().invalidate_time();
  // The next call of the item reports why the host cannot wait for it.
  return status != Status::ok || ready != none_ready;
}

bool write_all(const HostBody& body, std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t written = 0;
    if (fastly_body_write(body.get(), bytes.data(), bytes.size(), back_of_body, &written) != Status::ok) return false;
    bytes.remove_prefix(std::min(written, bytes.size()));
  }
  return true;
}

HostBody new_body(std::string_view bytes) {
  Handle created = 0;
  if (fastly_body_new(&created) != Status::ok) return {};
  HostBody body(created);
  return write_all(body, bytes) ? std::move(body) : HostBody();
}

Result<std::size_t> read_some(const HostBody& body, std::span<char> buffer, Timeout* timeout) {
  if (timeout && !timeout->wait_for(body.get())) return std::unexpected(Failure::body_late);
  std::size_t size = 0;
  if (fastly_body_read(body.get(), buffer.data(), buffer.size(), &size) != Status::ok) {
    return std::unexpected(Failure::body_incomplete);
  }
  return size;
}

Result<std::string> read_whole(const HostBody& body, std::size_t max_size, Timeout* timeout) {
  std::uint64_t known = 0;
  const bool is_known = fastly_body_length(body.get(), &known) == Status::ok && known <= max_size;
  std::string bytes;
  std::size_t filled = 0;
  while (filled <= max_size && !(is_known && filled == known)) {
    bytes.resize(is_known ? static_cast<std::size_t>(known) : filled + edge::body_chunk_size);
    const auto size = read_some(body, std::span(bytes).subspan(filled), timeout);
    if (!size) return std::unexpected(size.error());
    if (*size == 0 && is_known) return std::unexpected(Failure::body_incomplete);
    if (*size == 0) break;
    filled += *size;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace portail::fastly
