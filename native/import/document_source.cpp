#include "native/import/document_source.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/auth/key_url.hpp"
#include "core/base/text.hpp"
#include "native/fetch/fetch.hpp"
#include "native/http/response_writer.hpp"

namespace portail {
namespace {

constexpr int max_copies = 3;
constexpr std::chrono::milliseconds copy_interval{500};

bool is_same_version(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

std::unexpected<SyncFault> unreadable(const std::string& file, int error) {
  return source_unavailable("cannot read " + file + ": " + read_error(error));
}

std::expected<void, SyncFault> copy_all(int input, const std::string& name, std::uint64_t max_size,
                                        TemporaryFile& spool) {
  std::vector<char> chunk(std::size_t{256} * 1024);
  while (true) {
    const ssize_t count = ::read(input, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd readable{.fd = input, .events = POLLIN, .revents = 0};
      poll(&readable, 1, -1);
      continue;
    }
    if (count < 0) return unreadable(name, errno);
    if (count == 0) return {};
    const auto size = static_cast<std::size_t>(count);
    if (spool.size() + size > max_size) {
      return source_refused("cannot read " + name + ": it is larger than " + size_text(max_size));
    }
    if (auto added = spool.append({chunk.data(), size}); !added) return source_refused(std::move(added.error()));
  }
}

// Returns the version, or nullopt if the file changed meanwhile.
std::expected<std::optional<SourceVersion>, SyncFault> copy_once(const std::string& file, std::uint64_t max_size,
                                                                 TemporaryFile& spool) {
  const Descriptor input(open(file.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  struct stat before{};
  if (!input || fstat(input.number(), &before) != 0) return unreadable(file, errno);
  if (S_ISDIR(before.st_mode)) return source_refused("cannot read " + file + ": it is not a regular file");
  if (!S_ISREG(before.st_mode)) return copy_pipe(input.number(), file, max_size, spool);
  if (auto copied = copy_all(input.number(), file, max_size, spool); !copied) return std::unexpected(copied.error());
  // The open file was written to, or another one has its name.
  struct stat after{};
  struct stat named{};
  if (fstat(input.number(), &after) != 0) return unreadable(file, errno);
  const bool is_unchanged = stat(file.c_str(), &named) == 0 && is_same_version(before, after) &&
                            is_same_version(before, named) &&
                            spool.size() == static_cast<std::uint64_t>(before.st_size);
  if (!is_unchanged) return std::nullopt;
  return SourceVersion{.modified = before.st_mtim.tv_sec};
}

}  // namespace

std::string read_error(int error) {
  return error == ENXIO ? "it is a socket; for standard input, give -" : std::strerror(error);
}

std::expected<SourceVersion, SyncFault> copy_pipe(int pipe, const std::string& name, std::uint64_t max_size,
                                                  TemporaryFile& spool) {
  if (auto copied = copy_all(pipe, name, max_size, spool); !copied) return std::unexpected(copied.error());
  return SourceVersion();
}

std::expected<SourceVersion, SyncFault> copy_source(const std::string& file, std::uint64_t max_size,
                                                    TemporaryFile& spool) {
  for (int copies = 1;; ++copies) {
    auto version = copy_once(file, max_size, spool);
    if (!version) return std::unexpected(version.error());
    if (*version) return std::move(**version);
    if (copies == max_copies) {
      return source_unavailable("cannot read " + file + ": it changed while it was read, " +
                                std::to_string(max_copies) + " times; replace it by renaming");
    }
    if (auto cleared = spool.clear(); !cleared) return source_refused(std::move(cleared.error()));
    std::this_thread::sleep_for(copy_interval);
  }
}

namespace {

constexpr std::uint64_t max_text_size = std::uint64_t{256} * 1024;
constexpr std::size_t max_etag_size = 1024;

std::string cannot_fetch(std::string_view url, const std::string& reason) {
  return "cannot fetch " + std::string(without_query(url)) + ": " + reason;
}

// A status that another attempt may change.
bool is_transient(int status) {
  return status == 404 || status == 408 || status == 410 || status == 429 || status >= 500;
}

std::unexpected<SyncFault> refused_status(std::string_view url, int status) {
  const std::string reason = status == 304 ? "answered 304 to a request without a condition" : describe_status(status);
  return std::unexpected(
      SyncFault{is_transient(status) ? SyncFaultKind::unavailable : SyncFaultKind::refused, cannot_fetch(url, reason)});
}

// Keeps what a later request can send back.
SourceVersion version_of(const FetchedHead& head) {
  SourceVersion version;
  if (head.etag.size() <= max_etag_size && count_printable_ascii(head.etag) == head.etag.size())
    version.etag = head.etag;
  version.modified = parse_http_date(head.last_modified);
  if (version.modified) version.last_modified = head.last_modified;
  return version;
}

}  // namespace

bool is_url(std::string_view source) { return source.contains("://"); }

std::optional<Url> parse_source_url(std::string_view text) {
  auto url = parse_url(text);
  return url && (url->is_https || is_loopback(*url)) ? std::move(url) : std::nullopt;
}

std::expected<std::optional<SourceVersion>, SyncFault> fetch_source(const std::string& url, const SourceLimits& limits,
                                                                    const std::optional<SourceVersion>& known,
                                                                    TemporaryFile& spool) {
  FetchRequest request{.url = *parse_source_url(url),
                       .headers = {{"Accept", "application/json"}},
                       .ca_file = limits.ca_file,
                       .max_size = limits.max_size,
                       .deadline = limits.deadline,
                       .may_end_abruptly = true};
  // A server ignores If-Modified-Since if it gets If-None-Match (RFC 9110 section 13.1.3).
  const bool has_etag = known && !known->etag.empty();
  const bool has_time = known && !has_etag && !known->last_modified.empty();
  if (has_etag) request.headers.emplace_back("If-None-Match", known->etag);
  if (has_time) request.headers.emplace_back("If-Modified-Since", known->last_modified);
  std::expected<void, std::string> added;
  const auto head = fetch(request, [&](std::string_view bytes) { return (added = spool.append(bytes)).has_value(); });
  if (!added) return source_refused(std::move(added.error()));
  if (!head) return source_unavailable(cannot_fetch(url, head.error()));
  if (head->status == 304 && (has_etag || has_time)) return std::nullopt;
  if (head->status != 200) return refused_status(url, head->status);
  return version_of(*head);
}

std::expected<std::string, SyncFault> fetch_text(const std::string& url, const SourceLimits& limits) {
  std::string text;
  const auto head = fetch({.url = *parse_source_url(url),
                           .ca_file = limits.ca_file,
                           .max_size = max_text_size,
                           .deadline = limits.deadline,
                           .may_end_abruptly = true},
                          [&text](std::string_view bytes) {
                            text.append(bytes);
                            return true;
                          });
  if (!head) return source_unavailable(cannot_fetch(url, head.error()));
  if (head->status != 200) return refused_status(url, head->status);
  return text;
}

}  // namespace portail
